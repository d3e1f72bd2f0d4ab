"""Trees and bushes: their pictures, and where they stand."""

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.udacity.simulator.looks import Look, Rgb
from drive.udacity.simulator.relief import CELL, Survey, noise

ROWS, COLUMNS = 128, 64
LEVELS = 4
TREES, BUSHES = 8, 4
"""Pictures of either sort; trees come first."""


def pictures(look: Look, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Pictures in four sizes as `draw_billboards` wants them, (pictures, 256, 64, 4)."""
    trees = [_tree(look.leaves[k % len(look.leaves)], rng) for k in range(TREES)]
    bushes = [_bush(look.leaves[k % len(look.leaves)], rng) for k in range(BUSHES)]
    return np.array([_pyramid(picture) for picture in (*trees, *bushes)])


def plant(
    ground: Survey,
    height: NDArray[np.float32],
    wet: NDArray[np.bool_],
    look: Look,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Trees and bushes as `draw_billboards` wants them, (n, 7)."""
    woods = noise(height.shape, 40.0, rng)
    sorts = [
        (look.trees, 5.5, (3.2, 8.0), (0, TREES), 0.5),
        (look.bushes, 4.8, (2.4, 1.3), (TREES, TREES + BUSHES), 1.2),
    ]
    stands = []
    for density, nearest, size, kinds, spread in sorts:
        area = height.size * CELL * CELL / 1e4
        count = rng.poisson(density * area)
        rows = rng.integers(0, height.shape[0], count)
        columns = rng.integers(0, height.shape[1], count)
        away = np.abs(ground.lateral[rows, columns])
        likely = np.clip(0.5 + 0.6 * woods[rows, columns], 0.08, 1.0)
        kept = (away > nearest + 2.0) & ~wet[rows, columns] & (rng.random(count) < likely)
        rows, columns = rows[kept], columns[kept]
        n = len(rows)
        scale = np.exp(0.25 * spread * rng.standard_normal(n))
        stands.append(
            np.column_stack(
                [
                    ground.left + CELL * columns,
                    ground.bottom + CELL * rows,
                    height[rows, columns] - 0.15,
                    size[0] * scale,
                    size[1] * scale,
                    rng.integers(*kinds, n),
                    rng.uniform(0.8, 1.1, n),
                ]
            )
        )
    return np.concatenate(stands).astype(np.float32)


def _tree(leaves: Rgb, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A bare stem and a ragged crown of tufts, lit from the upper right."""
    picture = np.zeros((ROWS, COLUMNS, 4), np.uint8)
    stem = (*(int(0.6 * value) for value in leaves), 255)
    middle = COLUMNS // 2 + int(rng.integers(-3, 4))
    cv2.line(picture, (middle, ROWS - 1), (COLUMNS // 2, 30), stem, 3)
    first = rng.uniform(0.35, 0.6)
    for _ in range(70):
        up = rng.uniform(0.0, 1.0)
        reach = 0.42 * COLUMNS * np.sin(np.pi * (0.12 + 0.83 * up)) ** 0.7
        u = COLUMNS / 2 + rng.uniform(-1.0, 1.0) * reach
        v = 6 + up * first * ROWS
        light = 0.55 + 0.35 * (u - COLUMNS / 2) / COLUMNS * 2 + 0.35 * (1 - up)
        _tuft(picture, u, v, rng.uniform(3.0, 7.0), leaves, light * rng.uniform(0.7, 1.25))
    return picture


def _bush(leaves: Rgb, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A heap of tufts as wide as the picture, dark below."""
    picture = np.zeros((ROWS, COLUMNS, 4), np.uint8)
    for _ in range(60):
        u = rng.uniform(0.1, 0.9) * COLUMNS
        top = 10 + 60 * (2.0 * u / COLUMNS - 1.0) ** 2
        v = rng.uniform(top, ROWS - 8)
        light = 1.1 - 0.7 * (v / ROWS)
        _tuft(picture, u, v, rng.uniform(4.0, 8.0), leaves, light * rng.uniform(0.7, 1.25))
    return picture


def _tuft(
    picture: NDArray[np.uint8], u: float, v: float, radius: float, leaves: Rgb, light: float
) -> None:
    colour = (*(int(min(255.0, value * light)) for value in leaves), 255)
    axes = (max(1, int(radius)), max(1, int(0.8 * radius)))
    cv2.ellipse(picture, (int(u), int(v)), axes, 0.0, 0.0, 360.0, colour, -1)


def _pyramid(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture and each half of it below the other; colours bleed only from what is opaque."""
    stacked = np.zeros((2 * ROWS, COLUMNS, 4), np.uint8)
    level = picture.astype(np.float32)
    level[..., :3] *= level[..., 3:] / 255.0
    start = 0
    for _ in range(LEVELS):
        rows, columns = level.shape[:2]
        colours = level[..., :3] / np.maximum(level[..., 3:] / 255.0, 1e-3)
        stacked[start : start + rows, :columns, :3] = np.clip(colours, 0, 255)
        stacked[start : start + rows, :columns, 3] = level[..., 3]
        start += rows
        level = cv2.resize(level, (columns // 2, rows // 2), interpolation=cv2.INTER_AREA)
    return stacked
