"""Exact area coverage of polygons on the cells of a small picture, compiled with numba.

A polygon's signed area is accumulated edge by edge into the cells its outline crosses; a prefix sum
along each row then gives how much of every cell it covers, as font rasterisers do. The cost depends
on the outline in cells, not on the size of the 1000 x 800 surface that gymnasium draws on.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatImage = NDArray[np.float32]
FloatArray = NDArray[np.float64]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile with numba, cached on disk where any cache directory can be written.

    Division by zero yields infinity rather than an exception, which the kernels rely on. The cache
    notices a change of a kernel's own file only: after editing one that others call, delete
    ``__pycache__/*.nb?``.
    """
    try:
        kernel: Any = njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # neither the package nor the user's cache directory is writable
        kernel = njit(error_model="numpy")(function)
    return cast(Kernel, kernel)


@compiled
def _add_inside(delta: FloatImage, x0: float, y0: float, x1: float, y1: float) -> None:
    """Add a piece of an edge that lies within the columns of the picture."""
    sign = 1.0
    if y0 > y1:
        x0, y0, x1, y1, sign = x1, y1, x0, y0, -1.0
    slope = (x1 - x0) / (y1 - y0)
    rows, width = delta.shape[0], delta.shape[1] - 1
    row = int(y0)
    last = min(math.ceil(y1), rows)
    x = x0
    y = y0
    while row < last:
        y_next = min(row + 1.0, y1)
        x_next = x0 + slope * (y_next - y0) if y_next < y1 else x1
        dy = sign * (y_next - y)
        left, right = (x, x_next) if x < x_next else (x_next, x)
        column = min(int(left), width - 1)
        if right <= column + 1.0:
            share = dy * (0.5 * (left + right) - column)
            delta[row, column] += dy - share
            delta[row, column + 1] += share
        else:
            per_column = dy / (right - left)
            edge = column + 1.0 - left
            covered = 0.5 * per_column * edge * edge
            delta[row, column] += covered
            total = covered
            end = min(math.ceil(right), width)
            for c in range(column + 1, end - 1):
                filled = per_column * (c + 0.5 - left)
                delta[row, c] += filled - total
                total = filled
            tail = right - (end - 1.0)
            filled = dy - 0.5 * per_column * tail * tail
            delta[row, end - 1] += filled - total
            delta[row, end] += dy - filled
        x = x_next
        y = y_next
        row += 1


@compiled
def add_edge(delta: FloatImage, x0: float, y0: float, x1: float, y1: float) -> None:
    """Add one directed edge to the differences ``delta`` (rows, columns + 1), clipped to them.

    What lies left of the picture counts in the first column, what lies right of it nowhere.
    """
    rows, width = float(delta.shape[0]), float(delta.shape[1] - 1)
    if y0 == y1 or max(y0, y1) <= 0.0 or min(y0, y1) >= rows or min(x0, x1) >= width:
        return
    slope = (x1 - x0) / (y1 - y0)
    if y0 < 0.0 or y0 > rows:
        y = min(max(y0, 0.0), rows)
        x0, y0 = x0 + slope * (y - y0), y
    if y1 < 0.0 or y1 > rows:
        y = min(max(y1, 0.0), rows)
        x1, y1 = x1 + slope * (y - y1), y
    if min(x0, x1) >= 0.0 and max(x0, x1) <= width:
        if y0 != y1:
            _add_inside(delta, x0, y0, x1, y1)
        return
    _add_clipped(delta, x0, y0, x1, y1)


@compiled
def _add_clipped(delta: FloatImage, x0: float, y0: float, x1: float, y1: float) -> None:
    """Split an edge at both sides of the picture and move the outer pieces onto them."""
    width = float(delta.shape[1] - 1)
    along_left = min(max((0.0 - x0) / (x1 - x0), 0.0), 1.0) if x0 != x1 else 0.0
    along_right = min(max((width - x0) / (x1 - x0), 0.0), 1.0) if x0 != x1 else 0.0
    first, second = min(along_left, along_right), max(along_left, along_right)
    start = 0.0
    for stop in (first, second, 1.0):
        xa = min(max(x0 + start * (x1 - x0), 0.0), width)
        xb = min(max(x0 + stop * (x1 - x0), 0.0), width)
        ya, yb = y0 + start * (y1 - y0), y0 + stop * (y1 - y0)
        if ya != yb and min(xa, xb) < width:
            _add_inside(delta, xa, ya, xb, yb)
        start = stop


@compiled
def grow(corners: FloatArray, signs: FloatArray, grown: FloatArray) -> bool:
    """Move the edges of a convex polygon as gfxdraw's boundary pixels do, in surface pixels.

    gfxdraw fills every pixel whose centre lies within half a pixel sideways of the polygon and
    blends a fringe around it. On average over sub-pixel positions, a steep edge moves outwards by
    5/8 pixel sideways and a flat edge of slope s by 1/2 + s^2/8 upwards or downwards.

    Args:
        corners: (n, 2) corners, whole pixels.
        signs: (n,) for the edge from corner k to k + 1: 1 outwards, -1 inwards, for a polygon drawn
            later covers this one there.
        grown: (n, 2) result.

    Returns:
        Whether the polygon has an area.
    """
    n = len(corners)
    area = 0.0
    for k in range(n):
        m = k + 1 if k + 1 < n else 0
        area += corners[k, 0] * corners[m, 1] - corners[m, 0] * corners[k, 1]
    if area == 0.0:
        return False
    turn = 1.0 if area > 0.0 else -1.0
    px, py, pd = _outward(corners, n - 1, turn * signs[n - 1])
    for k in range(n):
        qx, qy, qd = _outward(corners, k, turn * signs[k])
        determinant = px * qy - py * qx
        dx = (pd * qy - qd * py) / determinant
        dy = (px * qd - qx * pd) / determinant
        if not (abs(dx) <= 3.0 and abs(dy) <= 3.0):
            dx, dy = 0.5 * (px * pd + qx * qd), 0.5 * (py * pd + qy * qd)
        grown[k, 0] = corners[k, 0] + dx
        grown[k, 1] = corners[k, 1] + dy
        px, py, pd = qx, qy, qd
    return True


@compiled
def _outward(corners: FloatArray, k: int, sign: float) -> tuple[float, float, float]:
    """Unit normal of edge k of an anti-clockwise polygon, and how far the edge moves along it."""
    m = k + 1 if k + 1 < len(corners) else 0
    dx, dy = corners[m, 0] - corners[k, 0], corners[m, 1] - corners[k, 1]
    length = math.sqrt(dx * dx + dy * dy)
    if length == 0.0:
        return 0.0, 0.0, 0.0
    nx, ny = dy / length, -dx / length
    if abs(nx) >= abs(ny):
        shift = 0.625 * abs(nx)
    else:
        slope = nx / ny
        shift = (0.5 + 0.125 * slope * slope) * abs(ny)
    return nx, ny, sign * shift
