"""Figures of the laps of several drivers on one map: the paper's Figures 8 A to C, and sigma."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import spearmanr

from evaluation.figures import GREY, VERMILION, draw_path, draw_road, path_of, track_of
from evaluation.foresight import coming_error
from evaluation.inspection.report.streams import alarms, stated, usual_level
from evaluation.metrics.base import STEP_SECONDS, column
from evaluation.metrics.road import departure_steps
from evaluation.metrics.uncertainty import total_sigma
from evaluation.side_by_side.figures import PALETTE

FloatArray = NDArray[np.float64]
Laps = Sequence[pd.DataFrame]
"""The steps of one lap of each driver, all on one map."""

GROUPS = 10
"""Of equal size, by sigma; their medians are joined by a line."""
FULL = 0.98
"""Quantile of sigma that is drawn as wide as the road."""


def figures(laps: Laps) -> dict[str, Figure]:
    """All of them, by name."""
    found = {"figure_8a": lap_map(laps[0]), "figure_8b": trajectories(laps)}
    found["figure_8c"] = steering_maps(laps)
    unsure = [lap for lap in laps if stated(lap)]
    if unsure:
        found["uncertainty"] = uncertainty(unsure)
    return found


def lap_map(lap: pd.DataFrame) -> Figure:
    """Figure 8 A: the road, its start and direction, and every tenth of the lap."""
    figure = Figure(figsize=(5.6, 5.0), layout="constrained")
    axes = figure.add_subplot()
    draw_road(axes, lap)
    track = track_of(lap)
    tenths = np.arange(10) * track.length / 10
    points, headings = track.point_at(tenths), track.heading_at(tenths)
    across = np.column_stack([-np.sin(headings), np.cos(headings)]) * track.half_width
    for tenth, (point, side) in enumerate(zip(points, across, strict=True)):
        axes.plot(*np.stack([point - side, point + side]).T, color=GREY, linewidth=0.8)
        if tenth:
            axes.annotate(
                f"{10 * tenth} %", point + 2.3 * side, fontsize=8, ha="center", va="center"
            )
    along = np.array([np.cos(headings[0]), np.sin(headings[0])])
    axes.annotate(
        "",
        xy=points[0] + 5 * track.half_width * along,
        xytext=points[0],
        arrowprops={"arrowstyle": "-|>", "color": VERMILION, "linewidth": 1.8},
    )
    axes.set_title(
        f"{lap['map'].iloc[0]}: {track.length:.0f} units, {2 * track.half_width:.1f} wide"
    )
    _bare(axes)
    return figure


def trajectories(laps: Laps) -> Figure:
    """Figure 8 B: all paths; lateral error along the road; distance at equal time.

    The last is the paper's error, distance to the car of ``ppo``, or of the first driver where
    there is no such, at the same time. It measures speed above all, and is left out where one
    drives alone.
    """
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.4))
    road = figure.add_subplot(grid[:, 0])
    error = figure.add_subplot(grid[0, 1] if len(laps) > 1 else grid[:, 1])
    draw_road(road, laps[0])
    half = float(laps[0]["half_width"].iloc[0])
    error.axhspan(-half, half, color="#eeeeee", linewidth=0)
    length = track_of(laps[0]).length
    for lap, colour in _coloured(laps):
        style: dict[str, Any] = {"color": colour, "linewidth": 1.2, "label": _name(lap)}
        road.plot(*path_of(lap).T, **style)
        error.plot(column(lap, "progress") * length, column(lap, "lateral_error"), **style)
    _bare(road)
    error.set(xlabel="Arc length (units)", ylabel="Lateral error (units, left +)")
    error.spines[["top", "right"]].set_visible(False)
    if len(laps) > 1:
        _distances(figure.add_subplot(grid[1, 1]), laps)
    figure.legend(
        *road.get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False
    )
    return figure


def _distances(axes: Axes, laps: Laps) -> None:
    """Distance of all others to the driver they are compared with."""
    reference = next((lap for lap in laps if _name(lap).startswith("ppo")), laps[0])
    for lap, colour in _coloured(laps):
        if lap is not reference:
            gap = equal_time_distance(lap, reference)
            time = STEP_SECONDS * np.arange(1, len(gap) + 1)
            axes.plot(time, gap, color=colour, linewidth=1.2)
    axes.set(xlabel="Time (s)", ylabel=f"Distance to {_name(reference)}\nat equal time (units)")
    axes.spines[["top", "right"]].set_visible(False)


def equal_time_distance(lap: pd.DataFrame, reference: pd.DataFrame) -> FloatArray:
    """Distance between two cars at the steps that both laps have, ``(steps,)``, units."""
    n = min(len(lap), len(reference))
    return np.asarray(np.hypot(*(path_of(lap)[:n] - path_of(reference)[:n]).T))


def steering_maps(laps: Laps) -> Figure:
    """Figure 8 C: each driver's path coloured by its steering."""
    columns = min(3, len(laps))
    rows = -(-len(laps) // columns)
    figure = Figure(figsize=(3.9 * columns + 0.8, 3.6 * rows + 0.3), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in panels[len(laps) :]:
        axes.set_axis_off()
    for axes, lap in zip(panels, laps, strict=False):
        draw_road(axes, lap)
        drawn = draw_path(axes, lap, column(lap, "action_steer"), (-1.0, 1.0))
        change = np.abs(np.diff(column(lap, "action_steer")))
        words = f"mean |change| {change.mean():.3f}" if len(change) else "one step"
        axes.set_title(f"{_name(lap)}, {words}", fontsize=10)
        _bare(axes)
    figure.colorbar(drawn, ax=list(panels), label="Steer (right +)", shrink=0.7)
    return figure


def uncertainty(laps: Laps) -> Figure:
    """Sigma of the steering: as a band on the map, along the lap, and against the later error.

    Args:
        laps: Of drivers that state any.
    """
    figure = Figure(figsize=(4.4 * len(laps), 9.2), layout="constrained")
    panels = figure.subplots(3, len(laps), squeeze=False, height_ratios=(1.5, 0.8, 1))
    for (road, along, later), (lap, colour) in zip(panels.T, _coloured(laps), strict=True):
        level = usual_level([lap])
        _draw_band(road, lap, colour)
        _draw_marks(road, lap, level)
        road.set_title(_name(lap), fontsize=10)
        _draw_along(along, lap, level, colour)
        _draw_later(later, lap, colour)
        for axes in (along, later):
            axes.spines[["top", "right"]].set_visible(False)
    panels[1, 0].set_ylabel("Sigma of steer")
    panels[2, 0].set_ylabel("Largest |lateral error|\nof the next second (units)")
    handles = {
        label: handle
        for axes in panels.ravel()
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False
    )
    return figure


def _draw_band(axes: Axes, lap: pd.DataFrame, colour: str) -> None:
    """The path in a band: total sigma to either side, epistemic sigma within it."""
    draw_road(axes, lap)
    path, sigma = path_of(lap), np.nan_to_num(total_sigma(lap))
    full = float(np.quantile(sigma, FULL)) or float(sigma.max())
    half = float(lap["half_width"].iloc[0])
    if len(path) > 1:
        epistemic = np.nan_to_num(column(lap, "epistemic_steer"))
        for width, alpha in ((sigma, 0.35), (epistemic, 0.6)):
            reach = np.minimum(width * half / full, 2 * half)
            axes.fill(*_outline(path, reach).T, color=colour, alpha=alpha, linewidth=0)
    axes.plot(*path.T, color=colour, linewidth=0.9)
    axes.text(
        *(0.02, 0.02),
        f"band as wide as the road: sigma {full:.2g}",
        transform=axes.transAxes,
        fontsize=8,
    )
    _bare(axes)


def _outline(path: FloatArray, reach: FloatArray) -> FloatArray:
    """Left side of a band around a path and back along the right one, ``(2 * steps, 2)``."""
    ahead = np.gradient(path, axis=0)
    length = np.hypot(*ahead.T)
    left = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.where(length > 0, length, 1)[:, None]
    side = left * reach[:, None]
    return np.concatenate([path + side, (path - side)[::-1]])


def _draw_marks(axes: Axes, lap: pd.DataFrame, level: float) -> None:
    path, left = path_of(lap), departure_steps(lap)
    axes.plot(*path[alarms(lap, level)].T, ".", color="#E69F00", markersize=4, label="alarm")
    if len(left):
        axes.plot(*path[left].T, "x", color=VERMILION, markersize=8, label="leaves the road")


def _draw_along(axes: Axes, lap: pd.DataFrame, level: float, colour: str) -> None:
    progress = 100 * column(lap, "progress")
    axes.plot(progress, total_sigma(lap), color=colour, linewidth=1)
    axes.plot(progress, column(lap, "epistemic_steer"), ":", color=colour, linewidth=1)
    if np.isfinite(level):
        axes.axhline(level, color="#E69F00", linewidth=0.9, linestyle="--", label="alarm above")
    for step in departure_steps(lap):
        axes.axvline(progress[step], color=VERMILION, linewidth=0.9)
    axes.set_xlabel("Progress (% of the lap)")
    axes.set_ylim(bottom=0)


def _draw_later(axes: Axes, lap: pd.DataFrame, colour: str) -> None:
    sigma, later = total_sigma(lap), coming_error(lap)
    known = np.isfinite(sigma) & np.isfinite(later)
    sigma, later = sigma[known], later[known]
    axes.scatter(sigma, later, s=6, color=colour, alpha=0.25, linewidth=0)
    if len(sigma) >= GROUPS and np.ptp(sigma) > 0 and np.ptp(later) > 0:
        parts = np.array_split(np.argsort(sigma, kind="stable"), GROUPS)
        middle = np.array([[np.median(sigma[part]), np.median(later[part])] for part in parts])
        axes.plot(*middle.T, "o-", color="black", markersize=4, label="median of a tenth")
        rank = float(spearmanr(sigma, later).statistic)
        axes.set_title(f"rank correlation {rank:.2f}", fontsize=10)
    axes.set(xlabel="Sigma of steer", xlim=(0, None), ylim=(0, None))


def _coloured(laps: Laps) -> list[tuple[pd.DataFrame, str]]:
    return [(lap, PALETTE[i % len(PALETTE)]) for i, lap in enumerate(laps)]


def _name(lap: pd.DataFrame) -> str:
    return str(lap["policy"].iloc[0])


def _bare(axes: Axes) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
