"""What the ground is, as maps that the renderer samples."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PROFILE_REACH = 8.0
"""Half the width of a road's cross-section, kerbs and shoulders included, metres."""
PROFILE_STEP = 0.02
"""Between two values of a cross-section, metres."""
FAR = 4
"""Cells along the side of one cell of the coarse map of colours."""
BLOCK = 16
"""Cells along the side of one cell of the map of crests."""
GRAIN_STEP = 0.03
"""Between two values of the surface's grain, metres."""
COARSE_STEP = 0.25
"""The same for what is seen from afar beside the road."""


class Land(NamedTuple):
    """Maps of the ground: ``[row, column]`` is a cell's corner, a row a step north.

    Attributes:
        left: x of the first column, metres.
        bottom: y of the first row, metres.
        cell: Metres between two columns or rows.
        lap: Length of the centre line, metres.
        stripe: Length of a red and a white stripe of a kerb, metres.
        height: Of the ground, metres, float32.
        crest: Of each block of `BLOCK` cells and its neighbours the highest, metres, float32.
        lateral: Distance to the centre line, left positive, metres, float32.
        arc: Arc length of the nearest point of the centre line, metres, float32.
        colour: Of the ground beside the road, light included, and the light alone, uint8
            ``(rows, columns, 4)``.
        far: The same, `FAR` times coarser.
        profiles: Cross-sections of the road from right to left, integrated from its right end:
            red, green, blue and opacity, float32 ``(kinds, steps, 4)``.
        sides: Which cross-section the left and the right half of the road have at each metre of
            the lap, int64 ``(2, metres)``. One that is striped is negative; the stripes are that
            kind and the next.
        grain: Roughness of the surface in 1/256 of its brightness, int8, square, periodic.
    """

    left: float
    bottom: float
    cell: float
    lap: float
    stripe: float
    height: NDArray[np.float32]
    crest: NDArray[np.float32]
    lateral: NDArray[np.float32]
    arc: NDArray[np.float32]
    colour: NDArray[np.uint8]
    far: NDArray[np.uint8]
    profiles: NDArray[np.float32]
    sides: NDArray[np.int64]
    grain: NDArray[np.int8]
