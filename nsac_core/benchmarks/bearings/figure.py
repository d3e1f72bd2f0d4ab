"""The paper's Figure 5: what each method says over the life of each test bearing."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nsac_core.benchmarks.contenders import order, title
from nsac_core.benchmarks.experiment import Run
from nsac_core.benchmarks.figures import COLOURS

SMOOTHING = 35
"""Rows of the moving average, as in the paper."""

_POINTS = 400
"""Of a line in a panel, about as many as it has pixels."""

_PLAIN = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1.0}


def lives(run: Run, parts: Mapping[str, str]) -> Figure:
    """A row of panels a part, a column a method or reference: label, mean, two standard deviations.

    Of the first seed of the run. The band is that of the predictions, the same rule for all
    methods; the mean is smoothed over ``SMOOTHING`` rows of the file.

    Args:
        run: On bearings.
        parts: Names of the parts, and what to call them.
    """
    rows = run.predictions[run.predictions["sigma"] == 0]
    rows = rows[rows["seed"] == rows["seed"].min()]
    models = [name for name in dict.fromkeys(rows["model"]) if name != "constant"]
    models = sorted(models, key=order) or ["constant"]
    shown = [part for part in parts if part in set(rows["part"])]
    size = (2.2 * len(models) + 0.8, 1.9 * len(shown) + 0.7)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(shown), len(models), sharey=True, squeeze=False)
    for line, part in zip(panels, shown, strict=True):
        line[0].set_ylabel(f"{parts[part]}\ndegradation")
        for axes, model in zip(line, models, strict=True):
            one = rows[(rows["part"] == part) & (rows["model"] == model)]
            _life(axes, one, run.settings, COLOURS.get(model, "0.4"))
    for axes, model in zip(panels[0], models, strict=True):
        axes.set_title(title(model))
    for axes in panels[-1]:
        axes.set_xlabel("row")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _life(axes: Axes, rows: pd.DataFrame, settings: Mapping[str, int], colour: str) -> None:
    stride = settings["test_stride"]
    window = max(1, SMOOTHING // stride)
    row = rows["row"].to_numpy() * stride + settings["length"] - 1
    mean = rows["mean"].rolling(window, center=True, min_periods=1).mean()
    spread = 2 * np.sqrt(rows["aleatoric"] + rows["epistemic"])
    # As a bitmap: thousands of corners would make a figure of megabytes.
    band = axes.fill_between(row, mean - spread, mean + spread, color=colour, alpha=0.25, lw=0)
    band.set(label="two standard deviations", rasterized=True)
    seen = slice(None, None, max(1, len(row) // _POINTS))
    axes.plot(row[seen], mean[seen], color=colour, lw=1, label="mean")
    axes.plot(row[seen], rows["y"][seen], "k--", lw=1, label="label")
    error = float(np.square(rows["mean"] - rows["y"]).mean())
    axes.text(
        0.03, 0.95, f"MSE {error:.4f}", transform=axes.transAxes, va="top", fontsize=8, bbox=_PLAIN
    )
    axes.set_ylim(-0.3, 1.3)
    axes.spines[["top", "right"]].set_visible(False)
