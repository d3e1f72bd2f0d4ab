"""Draws a road on axes of matplotlib."""

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from drive.track import Track

SURFACE, EDGE = "#e6e6e6", "#8a8a8a"


def draw_road(axes: Axes, track: Track) -> None:
    """Draws the surface of a closed road and its edges.

    Args:
        axes: Where, in world units.
        track: The road.
    """
    left, right = (_closed(edge) for edge in track.boundaries())
    axes.fill(*np.concatenate([left, right[::-1]]).T, color=SURFACE, linewidth=0, zorder=0)
    for edge in (left, right):
        axes.plot(*edge.T, color=EDGE, linewidth=0.6)


def _closed(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """A line ``(n, 2)`` that ends where it starts, ``(n + 1, 2)``."""
    return np.vstack([line, line[:1]])
