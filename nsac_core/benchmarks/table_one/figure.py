"""The errors of Table 1 in one picture: ours, the published, and a constant's."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.figures import COLOURS, plain_ticks
from nsac_core.benchmarks.paper import published
from nsac_core.benchmarks.table_one.sources import SOURCES
from nsac_core.methods import METHODS

WORDS = "MSE of the six methods on each data set, ours and published, and of trivial predictions"

_OTHER_UNITS = ("jena",)
"""Where the published errors are in units in which they cannot be drawn beside ours."""

_TRIVIAL = {"constant": "|", "persistence": "x"}


def errors(found: pd.DataFrame) -> Figure:
    """A line a data set that has runs, on a logarithmic axis of the squared error.

    Args:
        found: As from ``sources.gathered``.
    """
    mse = found[found["metric"] == "mse"]
    shown = [source for source in SOURCES if source.data_set in set(mse["data_set"])]
    figure = Figure(figsize=(9, 1.6 + 0.62 * len(shown)), layout="constrained")
    axes = figure.subplots()
    for line, source in enumerate(shown):
        rows = mse[mse["data_set"] == source.data_set]
        means = {str(model): float(of["value"].mean()) for model, of in rows.groupby("model")}
        _draw(axes, line, source.data_set, means)
    axes.set_yticks(range(len(shown)), [source.title for source in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xscale("log")
    plain_ticks(axes.xaxis)
    axes.tick_params(axis="x", labelrotation=45)
    axes.grid(axis="x", color="0.93")
    axes.set_xlabel("MSE in scaled units, mean over seeds")
    axes.spines[["top", "right"]].set_visible(False)
    _legend(figure, axes)
    return figure


def _draw(axes: Axes, line: int, data_set: str, means: dict[str, float]) -> None:
    for place, model in enumerate(METHODS):
        height = line - 0.25 + 0.1 * place
        if model in means:
            axes.plot(means[model], height, "o", color=COLOURS[model], markersize=5)
        theirs = published(data_set, model, "mse")
        if theirs is not None and data_set not in _OTHER_UNITS:
            axes.plot(theirs.mean, height, "D", mfc="none", color=COLOURS[model], markersize=4.5)
    for model, marker in _TRIVIAL.items():
        if model in means:
            axes.plot(means[model], line, marker, color="0.3", markersize=9)


def _legend(figure: Figure, axes: Axes) -> None:
    for model in METHODS:
        axes.plot([], [], "o", color=COLOURS[model], label=title(model))
    axes.plot([], [], "D", mfc="none", color="0.3", label="published")
    for model, marker in _TRIVIAL.items():
        axes.plot([], [], marker, color="0.3", label=title(model), linestyle="none")
    figure.legend(loc="outside upper center", ncols=5, frameon=False)
