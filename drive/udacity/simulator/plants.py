"""Trees and bushes: their pictures, and where they stand."""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.udacity.simulator.looks import Look, Rgb
from drive.udacity.simulator.relief import CELL, Survey, noise

ROWS, COLUMNS = 128, 64
LEVELS = 4
TREES, BUSHES = 8, 4
"""Pictures of either sort; trees come first."""
STEM = (74, 62, 46, 255)


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
    sorts = (
        Sort(look.trees, look.nearest, (3.4, 8.5), (0, TREES), 0.15),
        Sort(look.bushes, look.nearest - 0.7, (2.2, 1.1), (TREES, TREES + BUSHES), 0.35),
    )
    stands = [_stand(sort, ground, height, ~wet, woods, rng) for sort in sorts]
    return np.concatenate(stands).astype(np.float32)


class Sort(NamedTuple):
    """A sort of plant.

    Attributes:
        density: How many to a hectare where they grow best.
        nearest: Least distance from the centre line, metres.
        size: Width and height of a typical one, metres.
        kinds: First picture, and the one after the last.
        spread: Standard deviation of the logarithm of the size.
    """

    density: float
    nearest: float
    size: tuple[float, float]
    kinds: tuple[int, int]
    spread: float


def _stand(
    sort: Sort,
    ground: Survey,
    height: NDArray[np.float32],
    dry: NDArray[np.bool_],
    woods: NDArray[np.float32],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Plants of one sort on dry ground beside the road, more of them in the woods, (n, 7)."""
    count = rng.poisson(sort.density * height.size * CELL * CELL / 1e4)
    rows = rng.integers(0, height.shape[0], count)
    columns = rng.integers(0, height.shape[1], count)
    away = np.abs(ground.lateral[rows, columns])
    likely = np.clip(0.4 + 0.7 * woods[rows, columns], 0.05, 1.0)
    kept = (away > sort.nearest) & dry[rows, columns] & (rng.random(count) < likely)
    rows, columns = rows[kept], columns[kept]
    scale = np.exp(sort.spread * rng.standard_normal(len(rows)))
    return np.column_stack(
        [
            ground.left + CELL * columns,
            ground.bottom + CELL * rows,
            height[rows, columns] - 0.1,
            sort.size[0] * scale * rng.uniform(0.85, 1.15, len(rows)),
            sort.size[1] * scale,
            rng.integers(*sort.kinds, len(rows)),
            rng.uniform(0.85, 1.1, len(rows)),
        ]
    )


def _tree(leaves: Rgb, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A thin stem and clumps of leaves with sky between them, lit from the upper right."""
    picture = np.zeros((ROWS, COLUMNS, 4), np.uint8)
    bend = int(rng.integers(-3, 4))
    cv2.line(picture, (COLUMNS // 2, ROWS - 1), (COLUMNS // 2 + bend, 24), STEM, 2)
    bare, clumps = rng.uniform(0.3, 0.62), int(rng.integers(8, 13))
    for up in np.linspace(0.0, 1.0, clumps):
        reach = 21.0 * np.sin(np.pi * (0.15 + 0.78 * up)) ** 0.8
        u = 0.5 * COLUMNS + bend * (1.0 - up) + rng.uniform(-0.75, 0.75) * reach
        v = 9.0 + up * ((1.0 - bare) * ROWS - 12.0)
        branch = (COLUMNS // 2, min(ROWS - 1, int(v) + 5))
        cv2.line(picture, branch, (int(u), int(v)), STEM, 1)
        size = (rng.uniform(0.5, 0.75) * reach + 3.0, rng.uniform(5.0, 8.0))
        _clump(picture, (u, v), size, (3, 2), leaves, rng)
    return picture


def _bush(leaves: Rgb, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A heap of leaves as wide as the picture, dark below."""
    picture = np.zeros((ROWS, COLUMNS, 4), np.uint8)
    for u in np.linspace(8, COLUMNS - 8, 7):
        top = 22 + 50 * abs(2.0 * u / COLUMNS - 1.0) ** 2 + rng.uniform(-10, 10)
        for v in np.arange(ROWS - 12, top, -14):
            _clump(picture, (u + rng.uniform(-3, 3), v), (9.0, 10.0), (2, 6), leaves, rng)
    return picture


def _clump(
    picture: NDArray[np.uint8],
    centre: tuple[float, float],
    size: tuple[float, float],
    leaf: tuple[int, int],
    leaves: Rgb,
    rng: np.random.Generator,
) -> None:
    """Tufts within an ellipse: dark below and on the left, in full light at the other end."""
    spots = rng.normal(0.0, 0.45, (26, 2)).clip(-1.0, 1.0)
    for across, down in spots[np.argsort(-spots[:, 1])]:
        light = (0.72 - 0.5 * down + 0.25 * across) * rng.uniform(0.75, 1.25)
        colour = (*(int(min(255.0, value * max(light, 0.25))) for value in leaves), 255)
        spot = (int(centre[0] + across * size[0]), int(centre[1] + down * size[1]))
        axes = (int(rng.integers(1, leaf[0] + 1)), int(rng.integers(1, leaf[1] + 1)))
        cv2.ellipse(picture, spot, axes, 0.0, 0.0, 360.0, colour, -1)


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
        half = cv2.resize(level, (columns // 2, rows // 2), interpolation=cv2.INTER_AREA)
        level = np.asarray(half, dtype=np.float32)
    return stacked
