"""Pictures of neuron traces: each on the map at the car's own position, and along the road."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from evaluation.figures import BLUE, GREY, ORANGE, draw_path, draw_road, track_of
from evaluation.inspection.correlations import TURN, situations
from evaluation.metrics.base import column

FloatArray = NDArray[np.float64]

PANELS = {
    "steering": "A  steering (right positive)",
    "query_centroid": "B  query gate, mean",
    "key_centroid": "B  key gate, mean",
    "value_centroid": "B  value gate, mean",
    "inter_centroid": "C  inter neurons, mean",
    "command_centroid": "C  command neurons, mean",
    "kappa": "C  kappa, rate",
    "phi": "C  phi, level",
    "psi": "C  psi, volatility",
    "logits": "D  logits, mean",
}
"""What Figure 6 of the paper shows, and its letters."""
COLUMNS = 5


def figure_6(steps: pd.DataFrame, traces: pd.DataFrame, prefix: str = "") -> Figure:
    """The centroids of the neurons, what the circuit makes of them, and the logits.

    Args:
        steps: Of one lap.
        traces: Of the same.
        prefix: Of the columns of one member of an ensemble: ``member_0_``.
    """
    named = {"steering" if n == "steering" else f"{prefix}{n}": t for n, t in PANELS.items()}
    return _figure(steps, traces, named)


def neuron_figure(steps: pd.DataFrame, traces: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Single neurons, or any other traces, below the steering.

    Args:
        steps: Of one lap.
        traces: Of the same.
        names: Columns of ``traces``.
    """
    shown = {"steering": "steering (right positive)", **{n: n.replace("_", " ") for n in names}}
    return _figure(steps, traces, shown)


def _figure(steps: pd.DataFrame, traces: pd.DataFrame, titles: dict[str, str]) -> Figure:
    known = situations(steps)
    values = {"steering": column(known, "steering")}
    values.update({name: column(traces, name) for name in titles if name in traces})
    # What is always the same, as the volatility of a layer without noise, has nothing to show.
    shown = [n for n in titles if n == "steering" or (n in values and np.ptp(values[n]) > 0)]
    blocks = math.ceil(len(shown) / COLUMNS)
    figure = Figure(figsize=(3.4 * COLUMNS, 3.9 * blocks + 0.6), layout="constrained")
    grid = figure.add_gridspec(2 * blocks, COLUMNS, height_ratios=[2.5, 1] * blocks)
    along = _along(steps)
    for number, name in enumerate(shown):
        row, place = divmod(number, COLUMNS)
        above = figure.add_subplot(grid[2 * row, place])
        below = figure.add_subplot(grid[2 * row + 1, place])
        correlation = _correlation(values[name], values["steering"])
        _map_panel(above, steps, values[name], f"{titles[name]}{correlation}")
        _trace_panel(below, along, values[name], values["steering"])
    first = steps.iloc[0]
    figure.suptitle(
        f"{first['policy']} on {first['map']}: {len(steps)} steps. r: correlation with steering. "
        f"Shaded: steers left (blue) or right (orange) of ±{TURN:g}. Colours: 1 to 99 % of values",
        fontsize="medium",
    )
    return figure


def _map_panel(axes: Axes, steps: pd.DataFrame, values: FloatArray, title: str) -> None:
    draw_road(axes, steps)
    # The first moments, when the car stands still, would take most of the colours.
    low, high = np.quantile(values, [0.01, 0.99]).tolist()
    lines = draw_path(axes, steps, values, (low, high), width=2.4)
    lines.set_rasterized(True)
    bar = axes.figure.colorbar(lines, ax=axes, shrink=0.6, pad=0.02, format="%.3g")
    bar.ax.tick_params(labelsize="small")
    bar.outline.set_visible(False)
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.set_title(title, fontsize="medium", loc="left")
    axes.spines[:].set_visible(False)


def _trace_panel(axes: Axes, along: FloatArray, values: FloatArray, steering: FloatArray) -> None:
    for turns, colour in ((steering < -TURN, BLUE), (steering > TURN, ORANGE)):
        heights = axes.get_xaxis_transform()
        axes.fill_between(
            *(along, 0, 1, turns), color=colour, alpha=0.15, linewidth=0, transform=heights
        )
    axes.plot(along, values, color="black", linewidth=0.8)
    axes.set_xlabel("arc length (units)", fontsize="small")
    axes.tick_params(labelsize="small", color=GREY)
    axes.margins(x=0)
    axes.spines[["top", "right"]].set_visible(False)


def _along(steps: pd.DataFrame) -> FloatArray:
    """Way along the centre line at each decision, over all laps driven, world units."""
    before = steps["progress"].shift(1).fillna(steps["progress"].iloc[0])
    return np.asarray(before.to_numpy(np.float64) * track_of(steps).length)


def _correlation(values: FloatArray, steering: FloatArray) -> str:
    if values is steering or np.ptp(values) == 0 or np.ptp(steering) == 0:
        return ""
    return f", r = {np.corrcoef(values, steering)[0, 1]:.2f}"
