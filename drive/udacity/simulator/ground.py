"""Draws the ground: one ray a pixel over a height field, colours averaged over its footprint.

All of it in this file, since numba's cache does not see a change in another.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from drive.udacity.simulator.backdrop import ABOVE
from drive.udacity.simulator.cameras import FOCAL
from drive.udacity.simulator.courses import HALF_WIDTH
from drive.udacity.simulator.land import (
    BLOCK,
    COARSE_STEP,
    FAR,
    GRAIN_STEP,
    PROFILE_REACH,
    PROFILE_STEP,
    Land,
)

FARTHEST = 360.0
"""Metres along the camera's axis beyond which only the backdrop is seen."""
INNER = 3.2
"""Half the width of the road that has one colour across, metres."""
MIDDLE = 0.1
"""Half the width of a line along the road's middle, metres."""
OPAQUE = 5.5
"""Half the width of the road beneath which no ground is seen, metres."""

Floats = NDArray[np.float64]
Colour = NDArray[np.float32]

# Compiled into their callers: passing all the maps to a function costs more than what it does.
_inline = njit(cache=True, inline="always", error_model="numpy", fastmath=True)


@njit(cache=True, error_model="numpy", fastmath=True)
def draw_ground(
    frame: NDArray[np.uint8],
    depth: NDArray[np.float32],
    eye: Floats,
    land: Land,
    haze: Floats,
    backdrop: NDArray[np.uint8],
    bottom: NDArray[np.int64],
) -> None:
    """Draws the ground up to the skyline, and what is beyond it above.

    Args:
        frame: RGB ``(rows, columns, 3)``, written.
        depth: Metres along the camera's axis ``(rows, columns)``, written; inf above the skyline.
        eye: x, y, z, heading and downward pitch of the camera.
        land: The maps.
        haze: Colour of the distance, and how much of it a metre adds, ``(4,)``.
        backdrop: From `paint_backdrop`.
        bottom: The row of each column below which nothing need be drawn, ``(columns,)``.
    """
    rows, columns = depth.shape
    first = round(ABOVE - 0.5 * rows + FOCAL * math.tan(eye[4]))
    x, y, z = eye[0], eye[1], eye[2]
    cos_h, sin_h = math.cos(eye[3]), math.sin(eye[3])
    cos_p, sin_p = math.cos(eye[4]), math.sin(eye[4])
    colour = np.empty(4, dtype=np.float32)
    for u in range(columns):
        aside = (u + 0.5 - 0.5 * columns) / FOCAL
        turned = (math.atan(aside) - eye[3]) / (2.0 * math.pi)
        beyond = int((turned - math.floor(turned)) * backdrop.shape[1]) % backdrop.shape[1]
        t = 0.5
        for v in range(bottom[u] - 1, -1, -1):
            below = (v + 0.5 - 0.5 * rows) / FOCAL
            ahead = cos_p - below * sin_p
            rise = -sin_p - below * cos_p
            dx = ahead * cos_h + aside * sin_h
            dy = ahead * sin_h - aside * cos_h
            t, hit = _march(land, x, y, z, dx, dy, rise, t)
            if not hit:
                for w in range(v + 1):
                    depth[w, u] = np.inf
                    row = min(max(w + first, 0), backdrop.shape[0] - 1)
                    for c in range(3):
                        frame[w, u, c] = backdrop[row, beyond, c]
                break
            depth[v, u] = t
            _shade(colour, land, x + t * dx, y + t * dy, dx, dy, t / FOCAL, rise)
            mist = 1.0 - math.exp(-t * haze[3])
            for c in range(3):
                value = colour[c] + mist * (haze[c] - colour[c])
                frame[v, u, c] = np.uint8(min(max(value, 0.0), 255.0))


@_inline
def _march(
    land: Land, x: float, y: float, z: float, dx: float, dy: float, rise: float, start: float
) -> tuple[float, bool]:
    """How far along a ray the ground is, from `start` on, and whether it is met at all.

    A ray starts where that of the pixel below it ended: nothing nearer can hide it.
    """
    plane = -z / rise if rise < 0.0 else np.inf
    end = min(plane, FARTHEST)
    scale = 1.0 / land.cell
    column, row = (x - land.left) * scale, (y - land.bottom) * scale
    over_columns, over_rows = dx * scale, dy * scale
    leap = land.cell * BLOCK / math.sqrt(dx * dx + dy * dy)
    drop = min(rise, 0.0) * leap
    blocks = land.crest.shape
    t, step, gap, hit = start, max(0.3, 0.02 * start), 0.0, False
    while t + step < end:
        t += step
        at_column, at_row = column + t * over_columns, row + t * over_rows
        k = min(max(int(at_row) // BLOCK, 0), blocks[0] - 1)
        m = min(max(int(at_column) // BLOCK, 0), blocks[1] - 1)
        over = z + t * rise
        step = max(0.3, 0.02 * t)
        if over + drop > land.crest[k, m]:
            step = max(step, leap)
        else:
            gap = over - _bilinear(land.height, at_column, at_row)
            if gap <= 0.0:
                hit = True
                break
    if not hit:
        if plane >= FARTHEST:
            return max(t, start), False
        gap = -_bilinear(land.height, column + plane * over_columns, row + plane * over_rows)
        if gap > -0.001:
            return max(plane, start), True
        step = plane - t
        t = plane
    low = max(start, t - step)
    level = _bilinear(land.height, column + low * over_columns, row + low * over_rows)
    gap_before = max(z + low * rise - level, 0.0)
    return t + (t - low) * gap / (gap_before - gap + 1e-6), True


@_inline
def _bilinear(field: NDArray[np.float32], column: float, row: float) -> float:
    """A map between its corners; beyond its border the border goes on."""
    column = min(max(column, 0.0), field.shape[1] - 1.001)
    row = min(max(row, 0.0), field.shape[0] - 1.001)
    i, j = int(row), int(column)
    b, a = row - i, column - j
    low = field[i, j] + a * (field[i, j + 1] - field[i, j])
    high = field[i + 1, j] + a * (field[i + 1, j + 1] - field[i + 1, j])
    return float(low + b * (high - low))


@_inline
def _shade(
    colour: Colour, land: Land, px: float, py: float, dx: float, dy: float, across: float,
    rise: float,
) -> None:  # fmt: skip
    """The colour of the ground at a point, averaged over the pixel's footprint.

    Args:
        colour: Written.
        land: The maps.
        px: Where the ray meets the ground, metres.
        py: The same.
        dx: Its direction over the ground.
        dy: The same.
        across: Width of the pixel there, metres.
        rise: Climb of the ray for each metre along the camera's axis.
    """
    column = min(max((px - land.left) / land.cell, 0.0), land.height.shape[1] - 1.001)
    row = min(max((py - land.bottom) / land.cell, 0.0), land.height.shape[0] - 1.001)
    i, j = int(row), int(column)
    descent, height = -rise, land.height
    if height[i, j] > 0.0:
        climb = (height[i, j + 1] - height[i, j]) * dx + (height[i + 1, j] - height[i, j]) * dy
        descent += climb / land.cell
    along = min(across / max(descent, 0.03), 30.0)
    area = across * along
    off = _bilinear(land.lateral, column, row)
    if abs(off) > OPAQUE - along:
        if area > 2.0:
            _mix(colour, land.far, column / FAR, row / FAR, 0)
        else:
            _mix(colour, land.colour, column, row, 0)
    else:
        _mix(colour, land.colour, column, row, 3)
    spread = 0.5 * (along + across)
    if spread + MIDDLE < abs(off) < INNER - spread:
        kind = abs(land.sides[0, int(land.arc[i, j])])
        p = int((off + PROFILE_REACH) / PROFILE_STEP)
        light = colour[3] / 255.0 / PROFILE_STEP
        for c in range(3):
            colour[c] = (land.profiles[kind, p + 1, c] - land.profiles[kind, p, c]) * light
    elif abs(off) < PROFILE_REACH - 0.5:
        _lay_road(colour, land, column, row, dx, dy, across, along)
    last, rough = land.grain.shape[0] - 1, 1.0
    if area < 0.5:
        grain = land.grain[int(py / GRAIN_STEP) & last, int(px / GRAIN_STEP) & last]
        worn = 1.0 if abs(off) < HALF_WIDTH - 0.16 else 0.45
        rough += worn * grain / (256.0 + 5000.0 * area)
    if abs(off) > OPAQUE and area < 20.0:
        grain = land.grain[int(py / COARSE_STEP) & last, int(px / COARSE_STEP) & last]
        rough += grain / (400.0 + 100.0 * area)
    for c in range(3):
        colour[c] *= rough


@_inline
def _mix(colour: Colour, picture: NDArray[np.uint8], column: float, row: float, first: int) -> None:
    """A picture's colour between its corners, from its channel `first` on."""
    column = min(max(column, 0.0), picture.shape[1] - 1.001)
    row = min(max(row, 0.0), picture.shape[0] - 1.001)
    i, j = int(row), int(column)
    b, a = row - i, column - j
    for c in range(first, 4):
        low = (1.0 - a) * picture[i, j, c] + a * picture[i, j + 1, c]
        high = (1.0 - a) * picture[i + 1, j, c] + a * picture[i + 1, j + 1, c]
        colour[c] = (1.0 - b) * low + b * high


@_inline
def _lay_road(
    colour: Colour, land: Land, column: float, row: float, dx: float, dy: float, across: float,
    along: float,
) -> None:  # fmt: skip
    """Lays the road's cross-section over the ground, averaged over the footprint."""
    i, j = int(row), int(column)
    lateral, profiles = land.lateral, land.profiles
    off = _bilinear(lateral, column, row)
    nx = (lateral[i, j + 1] - lateral[i, j]) / land.cell
    ny = (lateral[i + 1, j] - lateral[i, j]) / land.cell
    flat = 1.0 / max(math.sqrt(dx * dx + dy * dy), 1e-6)
    facing, turned = abs(nx * dx + ny * dy) * flat, abs(nx * dy - ny * dx) * flat
    half = max(0.5 * (facing * along + turned * across), PROFILE_STEP)
    arc = land.arc[i, j] + (ny * (column - j) - nx * (row - i)) * land.cell
    metre = min(max(int(arc), 0), land.sides.shape[1] - 1)
    kind = land.sides[0 if off > 0.0 else 1, metre]
    light = colour[3] / 255.0
    share = 1.0
    if kind < 0:
        kind = -kind
        share = _striped(arc / land.stripe, (facing * across + turned * along) / land.stripe)
    last = profiles.shape[1] - 1.001
    low = min(max((off - half + PROFILE_REACH) / PROFILE_STEP, 0.0), last)
    high = min(max((off + half + PROFILE_REACH) / PROFILE_STEP, 0.0), last)
    p, q = int(low), int(high)
    a, b = low - p, high - q
    bare = 1.0 - _between(profiles, kind, 3, p, q, a, b) / (2.0 * half)
    for c in range(3):
        value = _between(profiles, kind, c, p, q, a, b)
        if share < 1.0:
            other = _between(profiles, kind + 1, c, p, q, a, b)
            value = share * value + (1.0 - share) * other
        colour[c] = value / (2.0 * half) * light + bare * colour[c]


@_inline
def _between(
    profiles: NDArray[np.float32], kind: int, c: int, p: int, q: int, a: float, b: float
) -> float:
    """What a cross-section's integral grows by from step p + a to step q + b."""
    start = profiles[kind, p, c] + a * (profiles[kind, p + 1, c] - profiles[kind, p, c])
    end = profiles[kind, q, c] + b * (profiles[kind, q + 1, c] - profiles[kind, q, c])
    return float(end - start)


@_inline
def _striped(phase: float, width: float) -> float:
    """Share of a square wave of period 1 that is up within `width` about a phase."""
    width = max(width, 1e-3)
    share = (_wave(phase + 0.5 * width) - _wave(phase - 0.5 * width)) / width
    return 0.5 if width >= 1.0 else share


@_inline
def _wave(phase: float) -> float:
    """Integral of a square wave that is up in the first half of each period of 1."""
    whole = math.floor(phase)
    return 0.5 * whole + min(phase - whole, 0.5)
