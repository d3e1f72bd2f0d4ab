"""What a camera on the car sees."""

from dataclasses import dataclass

import numpy as np

from drive.udacity.frames import HEIGHT, WIDTH, Frame
from drive.udacity.simulator.billboards import draw_billboards
from drive.udacity.simulator.bonnet import bonnet
from drive.udacity.simulator.cameras import Camera
from drive.udacity.simulator.courses import CourseName
from drive.udacity.simulator.ground import draw_ground
from drive.udacity.simulator.scenery import build


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
        right = np.array([forward[1], -forward[0]])
        spot = np.array([place.x, place.y]) + camera.forward * forward + camera.right * right
        eye = np.array([*spot, camera.up, place.heading, camera.pitch])
        frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        front = bonnet(camera)
        self._depth[:] = 0.0
        draw_ground(
            frame, self._depth, eye, scenery.land, scenery.haze, scenery.backdrop, front.bottom
        )
        ahead = (scenery.things[:, :2] - spot) @ forward
        order = np.argsort(-ahead)
        draw_billboards(frame, self._depth, eye, order, scenery.things, scenery.atlas, scenery.haze)
        front.put_on(frame)
        return frame
