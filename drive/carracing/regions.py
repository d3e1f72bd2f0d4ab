"""What each pixel of a picture shows, from the world's own geometry and camera."""

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

import cv2
import numpy as np
from gymnasium.envs.box2d.car_racing import PLAYFIELD, WINDOW_H, WINDOW_W
from numpy.typing import ArrayLike, NDArray

from drive.carracing.coverage import compiled
from drive.carracing.exact_renderer import HIDDEN, Camera

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld

FloatArray = NDArray[np.float64]
Regions = NDArray[np.uint8]

BAND = 1.0
"""How far the edge of a road reaches to both sides of its border, world units."""

LEAST_COVER = 0.1
"""Share of a pixel that the car, or a kerb, covers at least where it is shown."""


class Region(IntEnum):
    """What a pixel shows."""

    GRASS = 0
    ROAD = 1
    EDGE = 2
    CAR = 3
    DASHBOARD = 4
    BEYOND = 5

    @property
    def label(self) -> str:
        """As tables call it."""
        return ("grass", "road", "road edge", "car", "dashboard", "beyond")[self]


def regions(world: "CarRacingWorld", size: int = 84) -> Regions:
    """The region of every pixel of the world's picture, by what lies under the pixel's centre.

    The edge of the road is a band of one world unit to both sides of its border, and the kerbs
    beside it. Where the camera is far away, as in a lap's first second, the band is half a pixel
    wide to both sides. Bars, blob and noise of a perturbation are not told from what they cover.

    Args:
        world: As it stands.
        size: Pixels along a side: 84 for ``gray84``, 96 for ``rgb96``.

    Returns:
        ``(size, size)`` uint8, values of `Region`.
    """
    camera = Camera.over(world)
    column, row = _pixel_centres(size)
    x, y = camera.ground(column, row)
    beside = _distances(world, x, y) - world.half_width
    band = max(BAND, 0.5 * WINDOW_W / size / camera.zoom)
    found = np.where(beside < 0.0, Region.ROAD, Region.GRASS).astype(np.uint8)
    # Gymnasium gives kerbs a tuple for their colour, tiles an array.
    kerbs = (corners for corners, colour in world.road_poly if isinstance(colour, tuple))
    found[(abs(beside) < band) | _shown(kerbs, camera, size)] = Region.EDGE
    found[np.maximum(abs(x), abs(y)) > PLAYFIELD] = Region.BEYOND
    found[_shown(_car(world), camera, size)] = Region.CAR
    found[row < HIDDEN - 0.5] = Region.DASHBOARD
    return found


def _pixel_centres(size: int) -> tuple[FloatArray, FloatArray]:
    """Columns and rows on gymnasium's surface, which is upside down: two ``(size, size)``."""
    centres = (np.arange(size) + 0.5) / size
    column, row = np.meshgrid(centres * WINDOW_W - 0.5, WINDOW_H - 0.5 - centres * WINDOW_H)
    return column, row


def _distances(world: "CarRacingWorld", x: FloatArray, y: FloatArray) -> FloatArray:
    """Distances of points to the centre line, as far as it comes near to any of them."""
    start = world.track_geometry.points
    vectors = np.roll(start, -1, axis=0) - start
    reach = np.hypot(x - x.mean(), y - y.mean()).max() + world.half_width + BAND
    gaps = np.hypot(*(start + 0.5 * vectors - (x.mean(), y.mean())).T)
    near = gaps < reach + 0.5 * np.hypot(*vectors.T)
    return np.sqrt(_least_squares(np.column_stack([start, vectors])[near], x, y))


@compiled
def _least_squares(segments: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Squared distance of each point to the nearest segment ``(x, y, dx, dy)``."""
    least = np.full(x.shape, np.inf)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(len(segments)):
                dx, dy = segments[k, 2], segments[k, 3]
                px, py = x[i, j] - segments[k, 0], y[i, j] - segments[k, 1]
                along = min(max((px * dx + py * dy) / (dx * dx + dy * dy), 0.0), 1.0)
                square = (px - along * dx) ** 2 + (py - along * dy) ** 2
                least[i, j] = min(least[i, j], square)
    return least


def _car(world: "CarRacingWorld") -> Iterable[ArrayLike]:
    """Outlines of wheels and hull."""
    for body in world.car.drawlist:
        for fixture in body.fixtures:
            yield [tuple(body.GetWorldPoint(corner)) for corner in fixture.shape.vertices]


def _shown(polygons: Iterable[ArrayLike], camera: Camera, size: int) -> NDArray[np.bool_]:
    """Pixels that polygons on the ground cover at least `LEAST_COVER` of."""
    surface = np.zeros((WINDOW_H, WINDOW_W), dtype=np.uint8)
    for polygon in polygons:
        corners = camera.pixels(np.asarray(polygon, dtype=np.float64))
        if (corners.max(axis=0) >= 0).all() and (corners.min(axis=0) < (WINDOW_W, WINDOW_H)).all():
            cv2.fillConvexPoly(surface, corners.round().astype(np.int32), 255)
    shrunk = cv2.resize(surface[::-1], (size, size), interpolation=cv2.INTER_AREA)
    return np.asarray(shrunk >= 255 * LEAST_COVER)
