"""Draws the ground: one ray a pixel over a height field, colours averaged over its footprint.

All of it in this file, since numba's cache does not see a change in another.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from drive.udacity.simulator.cameras import FOCAL
from drive.udacity.simulator.land import FAR, GRAIN_STEP, PROFILE_REACH, PROFILE_STEP, Land

FARTHEST = 420.0
"""Metres along the camera's axis beyond which only the backdrop is seen."""

Floats = NDArray[np.float64]
Colour = NDArray[np.float32]


@njit(cache=True)
def draw_ground(
    frame: NDArray[np.uint8],
    depth: NDArray[np.float32],
    eye: Floats,
    land: Land,
    haze: Floats,
) -> None:
    """Draws what lies below the skyline.

    Args:
        frame: RGB ``(rows, columns, 3)``, written.
        depth: Metres along the camera's axis ``(rows, columns)``, written; inf above the skyline.
        eye: x, y, z, heading and downward pitch of the camera.
        land: The maps.
        haze: Colour of the distance, and how much of it a metre adds, ``(4,)``.
    """
    rows, columns = depth.shape
    x, y, z = eye[0], eye[1], eye[2]
    cos_h, sin_h = math.cos(eye[3]), math.sin(eye[3])
    cos_p, sin_p = math.cos(eye[4]), math.sin(eye[4])
    colour = np.empty(4, dtype=np.float32)
    for u in range(columns):
        aside = (u + 0.5 - 0.5 * columns) / FOCAL
        t = 0.5
        for v in range(rows - 1, -1, -1):
            below = (v + 0.5 - 0.5 * rows) / FOCAL
            ahead = cos_p - below * sin_p
            rise = -sin_p - below * cos_p
            dx = ahead * cos_h + aside * sin_h
            dy = ahead * sin_h - aside * cos_h
            t, hit = _march(land, x, y, z, dx, dy, rise, t)
            if not hit:
                depth[: v + 1, u] = np.inf
                break
            depth[v, u] = t
            _shade(colour, land, x + t * dx, y + t * dy, dx, dy, t / FOCAL, rise)
            mist = 1.0 - math.exp(-t * haze[3])
            for c in range(3):
                frame[v, u, c] = np.uint8(colour[c] + mist * (haze[c] - colour[c]))


@njit
def _march(
    land: Land, x: float, y: float, z: float, dx: float, dy: float, rise: float, start: float
) -> tuple[float, bool]:
    """How far along a ray the ground is, from `start` on, and whether it is met at all.

    A ray starts where that of the pixel below it ended: nothing nearer can hide it.
    """
    plane = -z / rise if rise < 0.0 else np.inf
    t = before = start
    over_before = 0.0
    while t < plane and t < FARTHEST:
        column, row = (x + t * dx - land.left) / land.cell, (y + t * dy - land.bottom) / land.cell
        over = z + t * rise - _bilinear(land.height, column, row)
        if over <= 0.0:
            if t > start:
                before += (t - before) * over_before / (over_before - over)
            return before, True
        before, over_before = t, over
        t += max(0.3, 0.015 * t)
    if plane < FARTHEST:
        return max(plane, start), True
    return t, False


@njit
def _bilinear(field: NDArray[np.float32], column: float, row: float) -> float:
    """A map between its corners; beyond its border the border goes on."""
    rows, columns = field.shape
    column = min(max(column, 0.0), columns - 1.001)
    row = min(max(row, 0.0), rows - 1.001)
    i, j = int(row), int(column)
    b, a = row - i, column - j
    low = field[i, j] + a * (field[i, j + 1] - field[i, j])
    high = field[i + 1, j] + a * (field[i + 1, j + 1] - field[i + 1, j])
    return low + b * (high - low)


@njit
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
    column, row = (px - land.left) / land.cell, (py - land.bottom) / land.cell
    along = min(across / max(-rise, 0.02), 40.0)
    rows, columns = land.lateral.shape
    column = min(max(column, 0.0), columns - 1.001)
    row = min(max(row, 0.0), rows - 1.001)
    fine = across * along
    if fine > 4.0:
        far = land.far
        i = min(int(row) // FAR, far.shape[0] - 1)
        j = min(int(column) // FAR, far.shape[1] - 1)
        for c in range(4):
            colour[c] = far[i, j, c]
    else:
        _bilinear_colour(colour, land.colour, column, row)
    if abs(_bilinear(land.lateral, column, row)) < PROFILE_REACH - 0.5:
        _lay_road(colour, land, column, row, dx, dy, across, along)
    if fine < 0.4:
        size = land.grain.shape[0]
        g = land.grain[int(py / GRAIN_STEP) % size, int(px / GRAIN_STEP) % size]
        rough = 1.0 + g / 256.0 / (1.0 + 20.0 * fine)
        for c in range(3):
            colour[c] *= rough
    for c in range(3):
        colour[c] = min(max(colour[c], 0.0), 255.0)


@njit
def _bilinear_colour(colour: Colour, picture: NDArray[np.uint8], column: float, row: float) -> None:
    i, j = int(row), int(column)
    b, a = row - i, column - j
    for c in range(4):
        low = (1.0 - a) * picture[i, j, c] + a * picture[i, j + 1, c]
        high = (1.0 - a) * picture[i + 1, j, c] + a * picture[i + 1, j + 1, c]
        colour[c] = (1.0 - b) * low + b * high


@njit
def _lay_road(
    colour: Colour, land: Land, column: float, row: float, dx: float, dy: float, across: float,
    along: float,
) -> None:  # fmt: skip
    """Lays the road's cross-section over the ground, both averaged over the footprint."""
    i, j = int(row), int(column)
    lateral = land.lateral
    off = _bilinear(lateral, column, row)
    nx = (lateral[i, j + 1] - lateral[i, j]) / land.cell
    ny = (lateral[i + 1, j] - lateral[i, j]) / land.cell
    flat = max(math.hypot(dx, dy), 1e-6)
    facing = abs(nx * dx + ny * dy) / flat
    turned = abs(nx * dy - ny * dx) / flat
    half = max(0.5 * (facing * along + turned * across), PROFILE_STEP)
    arc = land.arc[i, j] + (ny * (column - j) - nx * (row - i)) * land.cell
    kind = land.sides[0 if off > 0.0 else 1, int(arc % land.lap)]
    share = 1.0
    if kind < 0:
        kind = -kind
        share = _striped(arc / land.stripe, (facing * across + turned * along) / land.stripe)
    light = colour[3] / 255.0
    opacity = _mean(land.profiles, kind, off, half, 3)
    for c in range(3):
        value = _mean(land.profiles, kind, off, half, c)
        if share < 1.0:
            other = _mean(land.profiles, kind + 1, off, half, c)
            value = share * value + (1.0 - share) * other
        colour[c] = value * light + (1.0 - opacity) * colour[c]


@njit
def _mean(profiles: NDArray[np.float32], kind: int, off: float, half: float, c: int) -> float:
    """Mean of a cross-section within `half` of an offset from the centre line, metres."""
    last = profiles.shape[1] - 1.001
    low = min(max((off - half + PROFILE_REACH) / PROFILE_STEP, 0.0), last)
    high = min(max((off + half + PROFILE_REACH) / PROFILE_STEP, 0.0), last)
    p, q = int(low), int(high)
    profile = profiles[kind]
    start = profile[p, c] + (low - p) * (profile[p + 1, c] - profile[p, c])
    end = profile[q, c] + (high - q) * (profile[q + 1, c] - profile[q, c])
    return (end - start) / (2.0 * half)


@njit
def _striped(phase: float, width: float) -> float:
    """Share of a square wave of period 1 that is up within `width` about a phase."""
    if width >= 1.0:
        return 0.5
    width = max(width, 1e-3)
    return (_wave(phase + 0.5 * width) - _wave(phase - 0.5 * width)) / width


@njit
def _wave(phase: float) -> float:
    """Integral of a square wave that is up in the first half of each period of 1."""
    whole = math.floor(phase)
    return 0.5 * whole + min(phase - whole, 0.5)
