"""A picture of a map."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from maps.files import picture_file
from maps.shaping import reach, resample, tangents
from maps.track_map import MapError, TrackMap

GRASS, ROAD, EDGE, INK = "#cfe8c4", "#6b6f76", "#ffffff", "#22262b"


def save_picture(track: TrackMap, path: str | Path) -> None:
    """Draw a map from above: road, centre line, start, direction, a hundred units.

    Raises:
        MapError: The name does not end as a picture's, `.png`, `.svg` or `.pdf`.
    """
    file = Path(path)
    fault = picture_file.find_fault(file)
    if fault:
        raise MapError(fault)
    picture_file.save_picture(draw_picture(track), file, dpi=120)


def draw_picture(track: TrackMap) -> Figure:
    """The figure that `save_picture` writes; needs no display."""
    line = track.centre_line
    low, high = line.min(axis=0) - 35.0, line.max(axis=0) + 35.0
    width, height = high - low
    size = 9.0 / max(width, height)
    figure = Figure(figsize=(max(width * size, 4.5), height * size + 0.8), layout="constrained")
    axes = figure.add_subplot()
    axes.set_facecolor(GRASS)
    along = tangents(line)
    left = track.half_width * np.column_stack([-along[:, 1], along[:, 0]])
    nexts = np.roll(np.arange(len(line)), -1)
    for i, j in enumerate(nexts):
        corners = [line[i] + left[i], line[j] + left[j], line[j] - left[j], line[i] - left[i]]
        axes.add_patch(Polygon(corners, facecolor=ROAD, edgecolor=ROAD, linewidth=0.4))
    for edge in (line + left, line - left):
        axes.plot(*np.vstack([edge, edge[:1]]).T, color=EDGE, linewidth=1.2)
    axes.plot(*np.vstack([line, line[:1]]).T, color=EDGE, linewidth=0.8, dashes=(6, 6))
    axes.plot(*np.array([line[0] + left[0], line[0] - left[0]]).T, color="#d62728", linewidth=3.5)
    tip = line[0] + 30.0 * along[0]
    arrow = {"arrowstyle": "-|>", "color": "#d62728", "linewidth": 2.0}
    axes.annotate("", xy=tuple(tip), xytext=tuple(line[0]), arrowprops=arrow)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set(xlabel="x (world units)", ylabel="y (world units)")
    axes.set_title(f"{track.name}: {summary(track)}\n{track.origin}", fontsize=9, color=INK)
    return figure


def summary(track: TrackMap) -> str:
    """Lap length, direction and room of a map in a few words."""
    radius = tightest(track)
    return (
        f"lap {track.length:.0f} world units, {direction(track)}, "
        f"tightest radius {radius:.1f} ({radius / track.half_width:.1f} half-widths)"
    )


def direction(track: TrackMap) -> str:
    """`clockwise` or `counter-clockwise`, by the sign of the area inside."""
    x, y = track.centre_line.T
    area = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    return "counter-clockwise" if area > 0 else "clockwise"


def tightest(track: TrackMap) -> float:
    """Radius of the tightest bend, or half the distance of parts that pass each other, if less."""
    return reach(resample(track.centre_line))
