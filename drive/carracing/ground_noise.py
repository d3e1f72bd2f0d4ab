"""Noise in place of grass, grain by grain, for both renderers."""

import math

import numpy as np
from gymnasium.envs.box2d.car_racing import PLAYFIELD
from numpy.typing import NDArray

from drive.carracing.coverage import FloatArray, FloatImage, compiled
from drive.carracing.scene import COLUMNS, ROWS, X_SCALE, Y_SCALE

MOST_SAMPLES = 16
"""Across a cell, while the camera is far away; four lie on a grain at least once it is near."""


@compiled
def random_bits(x: float, y: float, grain: float, key: np.uint64) -> np.uint64:
    """64 random bits of the grain at a point of the ground: the finalizer of SplitMix64."""
    bits = np.uint64(key)
    bits ^= np.uint64(np.int64(math.floor(x / grain))) * np.uint64(0xD6E8FEB86659FD93)
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    bits ^= np.uint64(np.int64(math.floor(y / grain))) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@compiled
def replaced(bits: np.uint64, share: float) -> bool:
    """Whether noise replaces the grass of a grain."""
    return bool(np.float64(bits >> np.uint64(40)) < share * 16777216.0)


@compiled
def paint_noise(
    pixels: NDArray[np.uint32],
    first_row: int,
    camera: FloatArray,
    key: np.uint64,
    share: float,
    grain: float,
) -> None:
    """Paint the ground of gymnasium's surface over, pixel by pixel.

    Args:
        pixels: ``(width, height)`` of the surface before it is turned upright, as 0xRRGGBB.
        first_row: From where on it is seen.
        camera: cos, sin, zoom and translation of gymnasium's view.
        key: Of the frame.
        share: Of the grains that are replaced.
        grain: Their side.
    """
    c, s, zoom, tx, ty = camera[0], camera[1], camera[2], camera[3], camera[4]
    for row in range(first_row, pixels.shape[1]):
        for column in range(pixels.shape[0]):
            px, py = (column - tx) / zoom, (row - ty) / zoom
            x, y = c * px + s * py, c * py - s * px
            if max(abs(x), abs(y)) < PLAYFIELD:
                bits = random_bits(x, y, grain, key)
                if replaced(bits, share):
                    pixels[column, row] = np.uint32(bits & np.uint64(0xFFFFFF))


@compiled
def lay_noise(
    layer: FloatImage, camera: FloatArray, key: np.uint64, share: float, grain: float
) -> None:
    """Lay noise under what the layer holds, where the ground would show.

    Args:
        layer: (4, ROWS, COLUMNS): colour times cover of road and car, and cover; noise is added.
        camera: cos, sin, zoom and translation of gymnasium's view.
        key: Of the frame.
        share: Of the grains that are replaced.
        grain: Their side.
    """
    c, s, zoom, tx, ty = camera[0], camera[1], camera[2], camera[3], camera[4]
    n = min(max(math.ceil(2.0 / (X_SCALE * zoom)), 4), MOST_SAMPLES)
    one, weight = np.float32(1.0), np.float32(1.0 / (n * n))
    mask = np.uint64(0xFF)
    for row in range(ROWS):
        for column in range(COLUMNS):
            bare = (one - layer[3, row, column]) * weight
            if bare <= 0.0:
                continue
            red, green, blue, count = 0.0, 0.0, 0.0, 0
            for i in range(n):
                py = (799.5 - (row + (i + 0.5) / n) / Y_SCALE - ty) / zoom
                for j in range(n):
                    px = ((column + (j + 0.5) / n) / X_SCALE - 0.5 - tx) / zoom
                    x, y = c * px + s * py, c * py - s * px
                    if max(abs(x), abs(y)) >= PLAYFIELD:
                        continue
                    bits = random_bits(x, y, grain, key)
                    if replaced(bits, share):
                        red += np.float64(bits >> np.uint64(16) & mask)
                        green += np.float64(bits >> np.uint64(8) & mask)
                        blue += np.float64(bits & mask)
                        count += 1
            layer[0, row, column] += bare * np.float32(red)
            layer[1, row, column] += bare * np.float32(green)
            layer[2, row, column] += bare * np.float32(blue)
            layer[3, row, column] += bare * np.float32(count)
