"""The shape of the ground: where it is from the road, how high, and how lit."""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from drive.track import FloatArray, Track
from drive.udacity.simulator.looks import Look

CELL = 0.5
"""Metres between two corners of the maps."""
MARGIN = 130.0
"""Of the maps around the road, metres."""
FARTHEST_OFF = 80.0
"""Distances from the centre line are not followed beyond this, metres."""


class Survey(NamedTuple):
    """Where each corner of a square grid lies along the road.

    Attributes:
        left: x of the first column, metres.
        bottom: y of the first row, metres.
        lateral: Distance to the centre line, left positive, at most `FARTHEST_OFF`.
        arc: Arc length of the nearest point of the centre line.
    """

    left: float
    bottom: float
    lateral: NDArray[np.float32]
    arc: NDArray[np.float32]


def survey(track: Track) -> Survey:
    """Distances and arc lengths on a grid of `CELL` metres around a road."""
    arcs = np.arange(0.0, track.length, 0.25)
    points, headings = track.point_at(arcs), track.heading_at(arcs)
    low, high = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    columns, rows = np.ceil((high - low) / CELL).astype(int) + 1
    grid = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1) * CELL + low
    away, nearest = cKDTree(points).query(grid, distance_upper_bound=FARTHEST_OFF)
    known = np.isfinite(away)
    nearest = np.where(known, nearest, 0)
    offset = grid - points[nearest]
    along = np.stack([np.cos(headings), np.sin(headings)], axis=-1)[nearest]
    left = along[..., 0] * offset[..., 1] - along[..., 1] * offset[..., 0]
    inside = _inside(track, low, (rows, columns))
    lateral = np.where(known, np.copysign(np.hypot(left, 0.0), left), 0.0)
    # Where two bends meet the nearest point's normal says little; being inside the lap does.
    beyond = np.abs(left) < 0.7 * np.where(known, away, 0.0)
    lateral = np.where(known & beyond, np.where(inside, away, -away), lateral)
    lateral = np.where(known, lateral, np.where(inside, FARTHEST_OFF, -FARTHEST_OFF))
    arc = np.where(known, arcs[nearest] + (along * offset).sum(axis=-1), 0.0)
    return Survey(low[0], low[1], lateral.astype(np.float32), arc.astype(np.float32))


def noise(shape: tuple[int, ...], scale: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Smooth noise of zero mean and unit deviation, features of `scale` metres."""
    coarse = [max(4, int(n * CELL / scale) + 3) for n in shape]
    field = rng.standard_normal(coarse).astype(np.float32)
    wide = cv2.resize(field, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)
    return np.asarray((wide - wide.mean()) / wide.std(), dtype=np.float32)


def raise_hills(
    ground: Survey, look: Look, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Height of the ground, metres, and where there is water; both flat near the road."""
    shape = ground.lateral.shape
    away = np.abs(ground.lateral)
    broad, middle, fine = (noise(shape, scale, rng) for scale in (70.0, 22.0, 6.0))
    wet = (ground.lateral > 13.0 + 2.5 * middle) & (broad < 2.5 * look.lake - 1.0)
    rise = np.clip((away - look.foot - 1.5 * np.abs(middle)) / look.rise, 0.0, 1.0)
    rise = rise * rise * (3.0 - 2.0 * rise)
    hills = np.clip(0.45 + 0.5 * broad + 0.18 * middle + 0.05 * fine, 0.02, 1.3)
    height = look.hills * rise * hills
    dry = 1.0 - cv2.GaussianBlur(wet.astype(np.float32), (0, 0), 6.0)
    height = height * np.clip(2.0 * dry - 1.0, 0.0, 1.0)
    return np.asarray(height, dtype=np.float32), wet


def slopes(height: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Climb to the east and to the north."""
    north, east = np.gradient(height, CELL)
    return east.astype(np.float32), north.astype(np.float32)


def sunlight(height: NDArray[np.float32], look: Look) -> NDArray[np.float32]:
    """Light that falls on the ground, 1 on level ground."""
    east, north = slopes(height)
    sun = np.array(look.sun) / np.linalg.norm(look.sun)
    facing = (sun[2] - east * sun[0] - north * sun[1]) / np.sqrt(1.0 + east**2 + north**2)
    return np.asarray(0.25 + 0.75 * np.maximum(facing, 0.0) / sun[2], dtype=np.float32)


def _inside(track: Track, low: FloatArray, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Which corners of the grid the centre line encloses."""
    mask = np.zeros(shape, np.uint8)
    corners = np.rint((track.points - low) / CELL).astype(np.int32)
    cv2.fillPoly(mask, [corners], (1,))
    return np.asarray(mask > 0)
