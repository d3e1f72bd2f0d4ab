"""Draws what stands on the ground: flat pictures that always face the camera."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from drive.udacity.simulator.cameras import FOCAL

FARTHEST = 400.0
NEAREST = 1.5


@njit(cache=True)
def draw_billboards(
    frame: NDArray[np.uint8],
    depth: NDArray[np.float32],
    eye: NDArray[np.float64],
    order: NDArray[np.int64],
    things: NDArray[np.float32],
    atlas: NDArray[np.uint8],
    haze: NDArray[np.float64],
) -> None:
    """Draws pictures from far to near, hidden where the ground is nearer.

    Args:
        frame: RGB ``(rows, columns, 3)``, written.
        depth: Of the ground, metres along the camera's axis.
        eye: x, y, z, heading and downward pitch of the camera.
        order: Indices of the things, far to near.
        things: x, y, z of the foot, width, height (metres), picture and brightness,
            ``(n, 7)``.
        atlas: Pictures in four sizes, RGBA ``(pictures, rows, columns, 4)``: each next size lies
            below the last in the rows, in the left half of its columns.
        haze: Colour of the distance, and how much of it a metre adds, ``(4,)``.
    """
    cos_h, sin_h = math.cos(eye[3]), math.sin(eye[3])
    cos_p, sin_p = math.cos(eye[4]), math.sin(eye[4])
    rows, columns = depth.shape
    for n in order:
        x, y = things[n, 0] - eye[0], things[n, 1] - eye[1]
        z = things[n, 2] - eye[2]
        ahead, aside = x * cos_h + y * sin_h, x * sin_h - y * cos_h
        t = ahead * cos_p - z * sin_p
        if t < NEAREST or t > FARTHEST:
            continue
        width, height = things[n, 3] * FOCAL / t, things[n, 4]
        top_t = t - height * sin_p
        if top_t < 0.5:
            continue
        foot = 0.5 * rows - FOCAL * (z * cos_p + ahead * sin_p) / t
        top = 0.5 * rows - FOCAL * ((z + height) * cos_p + ahead * sin_p) / top_t
        middle = 0.5 * columns + FOCAL * aside / t
        lean = 0.5 * columns + FOCAL * aside / top_t - middle
        mist = 1.0 - math.exp(-t * haze[3])
        spot = Spot(t, foot, top, middle, lean, width, things[n, 6], mist)
        _paste(frame, depth, spot, atlas[int(things[n, 5])], haze)


class Spot(NamedTuple):
    """Where in a frame a picture goes: rows and columns, and the light on it.

    Attributes:
        depth: Metres along the camera's axis.
        foot: Row of its lower end.
        top: Row of its upper end.
        middle: Column of its foot.
        lean: Columns by which its top lies to the right of its foot.
        width: Columns it covers.
        light: Brightness, 1 for as it was painted.
        mist: Share of the haze.
    """

    depth: float
    foot: float
    top: float
    middle: float
    lean: float
    width: float
    light: float
    mist: float


@njit(cache=True)
def _paste(
    frame: NDArray[np.uint8],
    depth: NDArray[np.float32],
    spot: Spot,
    picture: NDArray[np.uint8],
    haze: NDArray[np.float64],
) -> None:
    """Draws one picture, in the size that fits best, where the ground is not nearer."""
    foot, top, width = spot.foot, spot.top, spot.width
    rows, columns = depth.shape
    size, start, level = picture.shape[1], 0, 0
    tall = picture.shape[0] // 2
    while level < 3 and foot - top < 0.75 * tall:
        start += tall
        tall //= 2
        size //= 2
        level += 1
    for v in range(max(int(top), 0), min(int(foot) + 1, rows)):
        share = (v + 0.5 - top) / (foot - top)
        if share < 0.0 or share >= 1.0:
            continue
        i = start + int(share * tall)
        left = spot.middle + spot.lean * (1.0 - share) - 0.5 * width
        for u in range(max(int(left), 0), min(int(left + width) + 1, columns)):
            across = (u + 0.5 - left) / width
            if across < 0.0 or across >= 1.0 or depth[v, u] < spot.depth:
                continue
            j = int(across * size)
            cover = picture[i, j, 3] / 255.0
            if cover < 0.2:
                continue
            for c in range(3):
                lit = spot.light * picture[i, j, c]
                lit += spot.mist * (haze[c] - lit)
                frame[v, u, c] = np.uint8(frame[v, u, c] + cover * (lit - frame[v, u, c]))
