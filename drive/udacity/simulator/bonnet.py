"""The car's own bonnet, which every camera sees at the bottom of its frame."""

from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.track import FloatArray
from drive.udacity.frame_shape import HEIGHT, WIDTH, Frame
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
    x, z, seen = _meet(camera, _rays(camera))
    cover = _shrink(seen.astype(np.float32))[..., None]
    picture = _shrink(np.where(seen[..., None], _paint(x, z), 0.0).astype(np.float32))
    picture = np.clip(picture / np.maximum(cover, 1e-3), 0.0, 255.0)
    top = int(np.argmax(np.append(cover.any(axis=(1, 2)), True)))
    bare = cover[::-1, :, 0] < 1.0
    bottom = HEIGHT - np.argmax(np.pad(bare, ((0, 1), (0, 0)), constant_values=True), axis=0)
    return Bonnet(top, picture[top:].astype(np.float32), cover[top:], bottom.astype(np.int64))


def _rays(camera: Camera) -> FloatArray:
    """Directions in the car's axes (right, up, forward), (rows, columns, 3)."""
    across = (np.arange(FINE * WIDTH) + 0.5 - 0.5 * FINE * WIDTH) / (FINE * FOCAL)
    down = (np.arange(FINE * HEIGHT) + 0.5 - 0.5 * FINE * HEIGHT) / (FINE * FOCAL)
    across, down = np.meshgrid(across, down)
    cos, sin = np.cos(camera.pitch), np.sin(camera.pitch)
    return np.stack([across, -sin - down * cos, cos - down * sin], axis=-1)


def _meet(camera: Camera, rays: FloatArray) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Where each ray meets the bonnet's surface, right and forward, and whether that is bonnet."""
    downwards = np.maximum(-rays[..., 1], 0.05)
    height = np.full(downwards.shape, TOP)
    for _ in range(8):  # the surface is nearly level: each round leaves a small share of the error
        along = (camera.up - height) / downwards
        x, z = camera.right + along * rays[..., 0], camera.forward + along * rays[..., 2]
        height = _surface(x, z)
    inside = (np.abs(x) < HALF_WIDTH) & (z < _front(x)) & (z > BACK - 0.6)
    return x, z, inside


def _surface(x: FloatArray, z: FloatArray) -> FloatArray:
    """Height of the bonnet: domed, falling to the front and to the sides."""
    ahead, aside = np.clip((z - BACK) / (FRONT - BACK), 0.0, 1.0), np.abs(x) / HALF_WIDTH
    return np.asarray(TOP - 0.15 * ahead**2 - 0.08 * np.minimum(aside, 1.0) ** 2)


def _front(x: FloatArray) -> FloatArray:
    """Where the bonnet ends: its corners lie further back than its middle."""
    return np.asarray(FRONT - 0.32 * np.minimum(np.abs(x) / HALF_WIDTH, 1.0) ** 2.5)


def _paint(x: FloatArray, z: FloatArray) -> FloatArray:
    """Light on the paint, brightest along the front edge; two seams; the headlamps."""
    ahead, aside = (z - BACK) / (FRONT - BACK), np.minimum(np.abs(x) / HALF_WIDTH, 1.0)
    light = 0.62 + 0.42 * np.clip(ahead, 0, 1) ** 2 - 0.25 * aside**3
    light = np.where(np.abs(aside - 0.55 - 0.1 * ahead) < 0.01, 0.6 * light, light)
    light = np.where(z > _front(x) - 0.035, 1.25 * light, light)
    lamp = np.hypot((aside - 0.85) / 0.08, (ahead - 0.68) / 0.06) < 1.0
    return np.where(lamp[..., None], LAMP, light[..., None] * PAINT)


def _shrink(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean over the rays of each pixel."""
    small = cv2.resize(picture, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32)
