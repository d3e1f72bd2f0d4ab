"""The paths that were driven, on their tracks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import maps
from drive.road_picture import draw_road
from drive.track import Track
from maps.track_map import MapError

COLUMNS = 4


@dataclass(frozen=True)
class Path:
    """Where a car was.

    Attributes:
        title: Above it.
        map: Name of the map, or an empty string.
        position: ``(frames, 2)`` in world units.
        speed: ``(frames,)`` in units/s.
    """

    title: str
    map: str
    position: NDArray[np.float64]
    speed: NDArray[np.float64]


def paths(driven: Sequence[Path], title: str) -> Figure:
    """Each path on its road, coloured by the speed, on one scale.

    Args:
        driven: The paths.
        title: Above all.
    """
    columns = min(COLUMNS, len(driven))
    rows = -(-len(driven) // columns)
    figure = Figure(figsize=(3.4 * columns + 1, 3.3 * rows + 0.5), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).flat
    fastest = max(float(path.speed.max()) for path in driven)
    for path, axes in zip(driven, panels, strict=False):
        dots = axes.scatter(
            *path.position.T, c=path.speed, s=2.5, cmap="viridis", vmin=0, vmax=fastest, linewidth=0
        )
        axes.plot(*path.position[0], "o", color="C3", markersize=5)
        axes.plot(*path.position[-1], "s", color="C3", markersize=5)
        found = _road(axes, path.map)
        axes.set_title(path.title + ("" if found else " (map not found)"), fontsize="small")
        axes.set_aspect("equal")
    for axes in panels:
        axes.axis("off")
    for axes in figure.axes:
        axes.axis("off")
    figure.colorbar(dots, ax=figure.axes, label="Speed (units/s)", shrink=0.6)
    figure.suptitle(f"{title}: from circle to square", fontsize="medium")
    return figure


def _road(axes: Axes, name: str) -> bool:
    """Draws the road of a map, if there is such a map."""
    try:
        track = maps.load(name)
    except MapError:
        return False
    draw_road(axes, Track(track.centre_line, track.half_width))
    return True
