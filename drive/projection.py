"""Nearest point of a closed polyline, compiled: it is asked for at every simulation step.

The polyline comes as one table, a row a segment: x, y, dx, dy, length, arc length, heading, heading
step, curvature, curvature step.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@njit(cache=True)
def nearest(
    table: FloatArray, length: float, x: float, y: float, near: float, reach: float
) -> tuple[float, float, float, float, int]:
    """Arc length, lateral error, heading, curvature and segment of the point nearest to (x, y).

    Only segments within `reach` of the arc length `near` are looked at.
    """
    n = len(table)
    first, count = 0, n
    if 2.0 * reach < length:
        first = int(np.searchsorted(table[:, 5], (near - reach) % length, side="right")) - 1
        covered = -((near - reach) % length - table[first, 5])
        count = 0
        while covered < 2.0 * reach and count < n:
            covered += table[(first + count) % n, 4]
            count += 1
    best, best_fraction, best_square = first, 0.0, np.inf
    for k in range(first, first + count):
        i = k if k < n else k - n
        rx, ry = x - table[i, 0], y - table[i, 1]
        dx, dy = table[i, 2], table[i, 3]
        fraction = (rx * dx + ry * dy) / (table[i, 4] * table[i, 4])
        fraction = min(1.0, max(0.0, fraction))
        square = (rx - fraction * dx) ** 2 + (ry - fraction * dy) ** 2
        if square < best_square:
            best, best_fraction, best_square = i, fraction, square
    row = table[best]
    side = row[2] * (y - row[1]) - row[3] * (x - row[0])
    heading = row[6] + best_fraction * row[7]
    heading = (heading + math.pi) % (2.0 * math.pi) - math.pi
    arc_length = (row[5] + best_fraction * row[4]) % length
    lateral = math.copysign(math.sqrt(best_square), side)
    return arc_length, lateral, heading, row[8] + best_fraction * row[9], best


@njit(cache=True)
def nearest_many(table: FloatArray, length: float, positions: FloatArray) -> FloatArray:
    """`nearest` of each position (m, 2), looked for everywhere: (m, 5)."""
    out = np.empty((len(positions), 5))
    for j in range(len(positions)):
        found = nearest(table, length, positions[j, 0], positions[j, 1], 0.0, np.inf)
        out[j, 0], out[j, 1], out[j, 2] = found[0], found[1], found[2]
        out[j, 3], out[j, 4] = found[3], found[4]
    return out
