"""What a camera on the car sees."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from drive.track import FloatArray
from drive.udacity.frame_shape import HEIGHT, WIDTH, Frame
from drive.udacity.simulator.billboards import FARTHEST, draw_billboards
from drive.udacity.simulator.bonnet import bonnet
from drive.udacity.simulator.cameras import FOCAL, Camera
from drive.udacity.simulator.course_names import CourseName
from drive.udacity.simulator.ground import draw_ground
from drive.udacity.simulator.scenery import build

SMALLEST = 1.5
"""Rows that a thing covers at least to be drawn."""


@dataclass(frozen=True)
class Place:
    """Where the car is, metres and radians counter-clockwise from +x."""

    x: float
    y: float
    heading: float


class Renderer:
    """Draws frames of one course.

    Args:
        course: Which.
        seed: Of the landscape.
    """

    def __init__(self, course: CourseName, seed: int = 0) -> None:
        self._scenery = build(course, seed)
        self._depth = np.empty((HEIGHT, WIDTH), np.float32)

    def draw(self, place: Place, camera: Camera) -> Frame:
        """The frame of a camera, RGB uint8 ``(160, 320, 3)``."""
        scenery = self._scenery
        forward = np.array([np.cos(place.heading), np.sin(place.heading)])
        spot = np.array([place.x, place.y]) + camera.forward * forward
        spot += camera.right * np.array([forward[1], -forward[0]])
        eye = np.array([*spot, camera.up, place.heading, camera.pitch])
        frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        front = bonnet(camera)
        self._depth[:] = 0.0
        draw_ground(
            frame, self._depth, eye, scenery.land, scenery.haze, scenery.backdrop, front.bottom
        )
        order = _in_view(scenery.things, spot, forward)
        draw_billboards(frame, self._depth, eye, order, scenery.things, scenery.atlas, scenery.haze)
        front.put_on(frame)
        return frame


def _in_view(
    things: NDArray[np.float32], spot: FloatArray, forward: FloatArray
) -> NDArray[np.int64]:
    """Indices of the things that may be seen, from far to near.

    Args:
        things: As `draw_billboards` wants them.
        spot: Of the camera, ``(2,)``.
        forward: Its direction, ``(2,)``.
    """
    away = things[:, :2] - spot
    ahead, aside = away @ forward, away @ np.array([forward[1], -forward[0]])
    # Half a frame is 1.15 wide for each metre of depth; the pitch widens it at the bottom.
    seen = (ahead > 0.0) & (ahead < FARTHEST) & (np.abs(aside) < 1.4 * ahead + 5.0)
    seen &= things[:, 4] * FOCAL > SMALLEST * ahead
    (near,) = np.nonzero(seen)
    return np.asarray(near[np.argsort(-ahead[near])])
