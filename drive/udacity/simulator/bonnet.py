"""The car's own bonnet, which every camera sees at the bottom of its frame."""

from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.track import FloatArray
from drive.udacity.frames import HEIGHT, WIDTH, Frame
from drive.udacity.simulator.cameras import FOCAL, Camera

FRONT, BACK = 2.02, 1.02
"""Where the bonnet ends and where the windscreen begins, metres ahead of the car's origin."""
HALF_WIDTH = 0.86
TOP = 0.72
"""Height of the bonnet's middle at the windscreen, metres."""
PAINT = np.array((150.0, 140.0, 114.0))
LAMP = np.array((235.0, 238.0, 235.0))
FINE = 3  # rays to a pixel, each way


class Bonnet(NamedTuple):
    """The bonnet as a camera sees it.

    Attributes:
        top: The first row of the frame that it reaches.
        picture: From there on, RGB float32 ``(rows, 320, 3)``.
        cover: How much of a pixel it hides, 0 to 1, float32 ``(rows, 320, 1)``.
        bottom: For each column the first row that it hides wholly, as all below, ``(320,)``.
    """

    top: int
    picture: NDArray[np.float32]
    cover: NDArray[np.float32]
    bottom: NDArray[np.int64]

    def put_on(self, frame: Frame) -> None:
        """Draws the bonnet over a frame."""
        under = frame[self.top :].astype(np.float32)
        frame[self.top :] = under + self.cover * (self.picture - under)


@lru_cache(maxsize=8)
def bonnet(camera: Camera) -> Bonnet:
    """The bonnet as a camera sees it."""
    rays = _rays(camera)
    distance = _meet(camera, rays)
    seen = np.isfinite(distance)
    point = np.where(seen, distance, 0.0)[..., None] * rays
    x, z = point[..., 0] + camera.right, point[..., 2] + camera.forward
    colour = np.where(seen[..., None], _paint(x, z), 0.0).astype(np.float32)
    cover = seen.astype(np.float32)[..., None]
    size = (WIDTH, HEIGHT)
    colour = cv2.resize(colour, size, interpolation=cv2.INTER_AREA)
    cover = cv2.resize(cover, size, interpolation=cv2.INTER_AREA)[..., None]
    picture = np.clip(colour / np.maximum(cover, 1e-3), 0.0, 255.0)
    top = int(np.argmax(np.append(cover.any(axis=(1, 2)), True)))
    bare = cover[..., 0] < 1.0
    bottom = HEIGHT - np.argmax(np.pad(bare[::-1], ((0, 1), (0, 0)), constant_values=True), axis=0)
    return Bonnet(top, picture[top:], cover[top:], bottom.astype(np.int64))


def _rays(camera: Camera) -> FloatArray:
    """Directions in the car's axes (right, up, forward), (rows, columns, 3)."""
    across = (np.arange(FINE * WIDTH) + 0.5 - 0.5 * FINE * WIDTH) / (FINE * FOCAL)
    down = (np.arange(FINE * HEIGHT) + 0.5 - 0.5 * FINE * HEIGHT) / (FINE * FOCAL)
    across, down = np.meshgrid(across, down)
    cos, sin = np.cos(camera.pitch), np.sin(camera.pitch)
    return np.stack([across, -sin - down * cos, cos - down * sin], axis=-1)


def _surface(x: FloatArray, z: FloatArray) -> FloatArray:
    """Height of the bonnet, -1 beside it: domed, falling to the front and to the sides."""
    ahead, aside = np.clip((z - BACK) / (FRONT - BACK), 0.0, 1.0), np.abs(x) / HALF_WIDTH
    height = TOP - 0.09 * ahead**2 - 0.08 * aside**2 - 0.12 * np.clip(ahead - 0.85, 0, 1) / 0.15
    # Its front is rounded: the corners lie further back than the middle.
    end = FRONT - 0.32 * aside**2.5
    return np.where((aside < 1.0) & (z < end), height, -1.0)


def _meet(camera: Camera, rays: FloatArray) -> FloatArray:
    """How far along each ray the bonnet is; inf where it is missed."""
    distance = np.full(rays.shape[:2], np.inf)
    for along in np.arange(0.05, 2.2, 0.01):
        point = along * rays
        x, y, z = (point[..., k] + start for k, start in _origin(camera))
        met = (y <= _surface(x, z)) & np.isinf(distance) & (z > BACK - 0.6)
        distance[met] = along
    return distance


def _origin(camera: Camera) -> tuple[tuple[int, float], ...]:
    return (0, camera.right), (1, camera.up), (2, camera.forward)


def _paint(x: FloatArray, z: FloatArray) -> FloatArray:
    """Light on the paint, a seam, the headlamps at the corners and the vent before the glass."""
    ahead, aside = (z - BACK) / (FRONT - BACK), np.abs(x) / HALF_WIDTH
    light = 0.62 + 0.42 * np.clip(ahead, 0, 1) ** 2 - 0.25 * aside**3
    light = np.where(np.abs(aside - 0.55 - 0.1 * ahead) < 0.01, 0.6 * light, light)
    light = np.where(z > FRONT - 0.32 * aside**2.5 - 0.035, 1.25 * light, light)
    colour = light[..., None] * PAINT
    lamp = (np.hypot((aside - 0.85) / 0.08, (ahead - 0.68) / 0.06) < 1.0)[..., None]
    return np.where(lamp, LAMP, colour)
