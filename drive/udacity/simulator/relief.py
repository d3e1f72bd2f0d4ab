"""The shape of the ground: where it is from the road, how high, and how lit."""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from drive.track import FloatArray, Track
from drive.udacity.simulator.land import BLOCK
from drive.udacity.simulator.looks import Look

CELL = 0.5
"""Metres between two corners of the maps."""
MARGIN = 130.0
"""Of the maps around the road, metres."""
EXACT = 12.0
"""Within this distance of the centre line positions along it are exact, metres."""


class Survey(NamedTuple):
    """Where each corner of a square grid lies along the road.

    Attributes:
        left: x of the first column, metres.
        bottom: y of the first row, metres.
        lateral: Distance to the centre line, left positive, metres; to half a metre beyond `EXACT`.
        arc: Arc length of the nearest point of the centre line within `EXACT`, metres; else 0.
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
    rough = _distance(track, low, (rows, columns))
    # Exact where the road is drawn; hills need no more than a distance to the cell.
    near = np.nonzero(np.abs(rough) < EXACT)
    spots = np.column_stack(near[::-1]) * CELL + low
    nearest = cKDTree(points).query(spots)[1]
    offset = spots - points[nearest]
    east, north = np.cos(headings[nearest]), np.sin(headings[nearest])
    lateral, arc = rough, np.zeros((rows, columns), np.float32)
    left = east * offset[:, 1] - north * offset[:, 0]
    # A normal far out may belong to another part of a bend: there the distance is what counts.
    far = np.abs(rough[near]) >= 5.0
    lateral[near] = np.where(far, np.sign(rough[near]) * np.hypot(*offset.T), left)
    arc[near] = arcs[nearest] + east * offset[:, 0] + north * offset[:, 1]
    return Survey(low[0], low[1], lateral, arc)


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
    wet = (ground.lateral > 12.0 + 2.5 * middle) & (broad < 4.0 * look.lake - 1.0)
    wet &= look.lake > 0.0
    rise = np.clip((away - look.foot - 1.5 * np.abs(middle)) / look.rise, 0.0, 1.0)
    rise = rise * rise * (3.0 - 2.0 * rise)
    hills = np.clip(0.45 + 0.5 * broad + 0.18 * middle + 0.05 * fine, 0.02, 1.3)
    # Level at the shore, and up to a full slope within twenty metres of it.
    shore = cv2.distanceTransform((~wet).astype(np.uint8), cv2.DIST_L2, 5) * CELL
    height = look.hills * rise * hills * np.clip(shore / 20.0 - 0.05, 0.0, 1.0)
    return height.astype(np.float32), wet


def slopes(height: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Climb to the east and to the north."""
    north, east = np.gradient(height, CELL)
    return np.asarray(east, dtype=np.float32), np.asarray(north, dtype=np.float32)


def crests(height: NDArray[np.float32]) -> NDArray[np.float32]:
    """The highest point of each block of `BLOCK` cells and the blocks around it, metres."""
    rows, columns = (-(-n // BLOCK) for n in height.shape)
    spare = [(0, rows * BLOCK - height.shape[0]), (0, columns * BLOCK - height.shape[1])]
    blocks = np.pad(height, spare, mode="edge").reshape(rows, BLOCK, columns, BLOCK)
    highest = blocks.max(axis=(1, 3))
    return np.asarray(cv2.dilate(highest, np.ones((3, 3), np.uint8)), dtype=np.float32)


def hill_shadows(height: NDArray[np.float32], look: Look) -> NDArray[np.bool_]:
    """Where hills within `Look.hill_shadows` keep the sun away."""
    sun = np.array(look.sun)
    flat = float(np.hypot(sun[0], sun[1]))
    shaded = np.zeros(height.shape, np.bool_)
    for away in np.arange(2.0, look.hill_shadows, 1.0):
        east, north = (round(away * part / flat / CELL) for part in sun[:2])
        hill = np.roll(height, (-north, -east), axis=(0, 1))
        shaded |= hill > height + away * sun[2] / flat
    return shaded


def sunlight(height: NDArray[np.float32], look: Look) -> NDArray[np.float32]:
    """Light that falls on the ground, 1 on level ground."""
    east, north = slopes(height)
    sun = np.array(look.sun) / np.linalg.norm(look.sun)
    facing = (sun[2] - east * sun[0] - north * sun[1]) / np.sqrt(1.0 + east**2 + north**2)
    return np.asarray(0.42 + 0.58 * np.clip(facing, 0.0, 1.0) / sun[2], dtype=np.float32)


def _distance(track: Track, low: FloatArray, shape: tuple[int, int]) -> NDArray[np.float32]:
    """Distance of a grid's corners to the centre line, to a cell; negative outside the lap."""
    corners = np.rint((track.points - low) / CELL).astype(np.int32)
    inside = cv2.fillPoly(np.zeros(shape, np.uint8), [corners], (1,))
    line = cv2.polylines(np.ones(shape, np.uint8), [corners], isClosed=True, color=(0,))
    away = cv2.distanceTransform(line, cv2.DIST_L2, cv2.DIST_MASK_PRECISE) * np.float32(CELL)
    return np.asarray(np.where(inside > 0, away, -away), dtype=np.float32)
