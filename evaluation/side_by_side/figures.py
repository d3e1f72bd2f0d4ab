"""Figures of a comparison: success by severity, paired differences, heat map."""

import math
from itertools import cycle

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from evaluation.perturbations import CLEAN, Perturbed
from evaluation.side_by_side.measures import RETURN, SUCCESS, Against, Measure, difference, mean
from evaluation.side_by_side.shared_laps import SharedLaps
from evaluation.side_by_side.tables import is_long, name_of, name_of_all
from evaluation.statistics import Interval

TITLES = {
    "success_by_severity": "Success by severity of each perturbation, with 95 % intervals; "
    "severity 0 is the clean lap",
    "differences": "Paired differences from the first policy, lap by lap, with 95 % intervals",
    "cost": "What each perturbation costs: paired differences from the policy's own clean laps, "
    "with 95 % intervals",
    "heat_map": "Success and mean return of each policy under each perturbation, over its "
    "severities",
}
"""What each figure shows."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8a8a8a", "#000000")
"""Okabe and Ito's, which the colour-blind tell apart."""
_MARKERS = "osD^vPX*"
_PER_ROW = 4


def figures(laps: SharedLaps) -> dict[str, Figure]:
    """All figures by name, those that have something to show."""
    found = {}
    if laps.perturbed:
        found["success_by_severity"] = success_by_severity(laps)
    if len(laps.policies) > 1:
        found["differences"] = differences(laps, "reference")
    if laps.perturbed:
        found["cost"] = differences(laps, "clean")
    return {**found, "heat_map": heat_map(laps)}


def success_by_severity(laps: SharedLaps) -> Figure:
    """A panel a perturbation, a line a policy."""
    names = list(dict.fromkeys(condition.name for condition in laps.perturbed))
    columns = min(_PER_ROW, len(names))
    rows = math.ceil(len(names) / columns)
    figure = Figure(figsize=(2.9 * columns + 0.9, 2.5 * rows + 0.7), layout="constrained")
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, name in zip(panels, names, strict=False):
        _draw_severities(axes, laps, name)
        graded = name_of(laps.groups[name][0]) != name
        axes.set_title(name if graded else f"{name} (no severities)", fontsize=10)
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    for axes in panels[max(0, len(names) - columns) : len(names)]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("Severity (0: clean)")
    for axes in panels[::columns]:
        axes.set_ylabel("Success (%)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def differences(laps: SharedLaps, against: Against) -> Figure:
    """A row a condition, or a perturbation where these are many, and a mark a policy.

    Success is on the left, mean return on the right.
    """
    single = [[condition] for condition in laps.conditions]
    rows = list(laps.groups.values()) if is_long(laps) else single
    if against == "clean":
        rows = [conditions for conditions in rows if conditions != [CLEAN]]
    policies = laps.policies[1:] if against == "reference" else laps.policies
    height = len(rows) * (0.14 + 0.1 * len(policies)) + 1.3
    figure = Figure(figsize=(10, max(2.4, height)), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    other = laps.policies[0] if against == "reference" else "own clean laps"
    for axes, measure in zip(panels, (SUCCESS, RETURN), strict=True):
        _draw_differences(axes, laps, (rows, policies), measure, against)
        axes.axvline(0, color="0.5", linewidth=1)
        axes.set_xlabel(f"{measure.title}{', points' if measure.percent else ''}, less {other}")
        axes.grid(axis="x", color="0.92")
        axes.spines[["top", "right"]].set_visible(False)
        for row in range(0, len(rows), 2):
            axes.axhspan(row - 0.5, row + 0.5, color="0.97", linewidth=0, zorder=0)
    panels[0].set_yticks(range(len(rows)), [name_of_all(row) for row in rows])
    panels[0].set_ylim(len(rows) - 0.5, -0.5)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def heat_map(laps: SharedLaps) -> Figure:
    """A row a policy, a column a perturbation; severities count alike."""
    columns = list(laps.groups.values())
    height = 2 * (0.42 * len(laps.policies) + 1.7)
    width = 0.72 * len(columns) + 0.09 * max(map(len, laps.policies)) + 2.2
    figure = Figure(figsize=(max(5.0, width), height), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    for axes, measure, factor in zip(panels, (SUCCESS, RETURN), (100.0, 1.0), strict=True):
        values = factor * np.array(
            [[mean(laps, policy, own, measure) for own in columns] for policy in laps.policies]
        )
        _draw_heat(axes, values, 0.0, 100.0 if measure.percent else 900.0)
        axes.set_yticks(range(len(laps.policies)), laps.policies)
        axes.set_title(f"{measure.title}{', %' if measure.percent else ''}", fontsize=10)
    titles = [name_of_all(own) for own in columns]
    panels[1].set_xticks(range(len(columns)), titles, rotation=40, ha="right")
    return figure


def _draw_severities(axes: Axes, laps: SharedLaps, name: str) -> None:
    own = [condition for condition in laps.perturbed if condition.name == name]
    spread = 0.08 * (np.arange(len(laps.policies)) - (len(laps.policies) - 1) / 2)
    for offset, policy, style in zip(spread, laps.policies, _styles(), strict=False):
        points = [(c.severity, SUCCESS.of(laps, policy, c, _rng())) for c in (CLEAN, *own)]
        points = [(x, found) for x, found in points if math.isfinite(found.estimate)]
        if points:
            x = np.array([severity for severity, _ in points]) + offset
            _draw_intervals(axes, x, [100 * _bounds(found) for _, found in points], policy, style)
    axes.set(ylim=(-4, 104), xlim=(-0.4, 5.4))
    axes.set_xticks(range(6))
    axes.grid(axis="y", color="0.92")
    axes.spines[["top", "right"]].set_visible(False)


def _draw_intervals(
    axes: Axes,
    x: NDArray[np.float64],
    bounds: list[NDArray[np.float64]],
    label: str,
    style: tuple[str, str],
) -> None:
    middle, low, high = np.array(bounds).T
    axes.errorbar(
        *(x, middle),
        yerr=[middle - low, high - middle],
        label=label,
        color=style[0],
        marker=style[1],
        markersize=4,
        linewidth=1.3,
        elinewidth=0.9,
        capsize=1.5,
    )


def _draw_differences(
    axes: Axes,
    laps: SharedLaps,
    what: tuple[list[list[Perturbed]], list[str]],
    measure: Measure,
    against: Against,
) -> None:
    rows, policies = what
    styles = dict(zip(laps.policies, _styles(), strict=False))
    factor = 100.0 if measure.percent else 1.0
    spread = 0.6 * (np.arange(len(policies)) - (len(policies) - 1) / 2) / max(2, len(policies))
    for offset, policy in zip(spread, policies, strict=True):
        found = [difference(laps, policy, row, measure, against, _rng()) for row in rows]
        middle, low, high = factor * np.array([_bounds(one) for one in found]).T
        axes.errorbar(
            *(middle, np.arange(len(rows)) + offset),
            xerr=[middle - low, high - middle],
            label=policy,
            color=styles[policy][0],
            marker=styles[policy][1],
            markersize=4.5,
            linestyle="none",
            elinewidth=1.2,
            capsize=2,
        )


def _draw_heat(axes: Axes, values: NDArray[np.float64], low: float, high: float) -> None:
    colours = mpl.colormaps["viridis"].with_extremes(bad="0.93")
    axes.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if math.isfinite(value):
            light = (value - low) / (high - low) < 0.6
            axes.text(
                *(column, row, f"{value:.0f}"),
                ha="center",
                va="center",
                fontsize=9,
                color="white" if light else "black",
            )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _bounds(found: Interval) -> NDArray[np.float64]:
    """Estimate and ends; an estimate without an interval is its own."""
    ends = [end if math.isfinite(end) else found.estimate for end in (found.low, found.high)]
    # An interval of an adjusted estimate need not hold the share itself.
    return np.array([found.estimate, min(ends[0], found.estimate), max(ends[1], found.estimate)])


def _styles() -> "cycle[tuple[str, str]]":
    return cycle(zip(PALETTE, _MARKERS, strict=True))


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)
