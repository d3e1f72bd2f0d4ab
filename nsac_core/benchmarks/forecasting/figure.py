"""Figure 4: what was known, what came, and what each method had forecast."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.experiment import Run
from nsac_core.benchmarks.figures import COLOURS
from nsac_core.benchmarks.forecasting.windows import HORIZON, LOOK_BACK
from nsac_core.methods import METHODS

FloatArray = NDArray[np.float64]

_PLACES = (0.25, 0.5, 0.75)
"""Of the windows shown, as shares of the test part: not chosen by anybody."""


def forecasts(run: Run) -> Figure:
    """Three test windows, a column for each method: mean and two standard deviations."""
    rows = run.predictions[run.predictions["sigma"] == 0]
    rows = rows[rows["seed"] == rows["seed"].min()]
    models = [name for name in METHODS if name in set(rows["model"])]
    tables = {model: _table(rows[rows["model"] == model]) for model in models}
    figure = Figure(figsize=(2.3 * max(len(models), 1) + 0.8, 6.2), layout="constrained")
    grid = figure.subplots(len(_PLACES), max(len(models), 1), squeeze=False, sharey="row")
    for line, place in zip(grid, _PLACES, strict=True):
        for axes, model in zip(line, models, strict=False):
            _draw(axes, tables[model], place, model, run.settings)
            axes.label_outer()
    for axes, model in zip(grid[0], models, strict=False):
        axes.set_title(title(model), color=COLOURS[model])
    _legend(figure)
    figure.supxlabel("Hours after the last measurement known")
    figure.supylabel(f"{run.settings['target']} / °C")
    return figure


def _legend(figure: Figure) -> None:
    handles = [
        Line2D([], [], color="0.35", linewidth=1.2, label="known"),
        Line2D([], [], color="black", linewidth=1.6, label="what came"),
        Line2D([], [], color="0.5", linewidth=1.6, linestyle="--", label="mean of the forecast"),
        Patch(color="0.5", alpha=0.3, linewidth=0, label="two standard deviations"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)


def _draw(
    axes: Axes, table: dict[str, FloatArray], place: float, model: str, settings: dict[str, Any]
) -> None:
    window = window_at(table["y"], place)
    hours, low = settings["hours"], settings["low"]
    unit = settings["high"] - low
    before, after = np.arange(1 - LOOK_BACK, 1) * hours, np.arange(1, HORIZON + 1) * hours
    known = known_before(table["y"], window)
    mean, std, y = (unit * table[name][window] for name in ("mean", "std", "y"))
    colour = COLOURS[model]
    axes.plot(before, low + unit * known, color="0.35", linewidth=1.2)
    axes.plot(after, low + y, color="black", linewidth=1.6)
    axes.fill_between(
        after, low + mean - 2 * std, low + mean + 2 * std, color=colour, alpha=0.3, linewidth=0
    )
    axes.plot(after, low + mean, color=colour, linestyle="--", linewidth=1.6)
    axes.axvline(0, color="0.6", linestyle=":")
    axes.spines[["top", "right"]].set_visible(False)


def _table(rows: pd.DataFrame) -> dict[str, FloatArray]:
    """Mean, standard deviation and target, each ``(windows, horizon)``."""
    rows = rows.sort_values(["row", "output"])
    mean, aleatoric, epistemic, y = (
        rows[name].to_numpy(np.float64).reshape(-1, HORIZON)
        for name in ("mean", "aleatoric", "epistemic", "y")
    )
    return {"mean": mean, "std": np.sqrt(aleatoric + epistemic), "y": y}


def window_at(y: FloatArray, place: float) -> int:
    """The window nearest to a share of the test part with its look-back in the windows before it.

    Args:
        y: Targets of consecutive windows ``(windows, horizon)``; where windows were left out, they
            do not go on from one another.
        place: In [0, 1].
    """
    goes_on = np.isclose(y[1:, :-1], y[:-1, 1:]).all(axis=1)
    complete = np.lib.stride_tricks.sliding_window_view(goes_on, LOOK_BACK).all(axis=1)
    windows = np.flatnonzero(complete) + LOOK_BACK
    return int(windows[np.argmin(np.abs(windows - place * (len(y) - 1)))])


def known_before(y: FloatArray, window: int) -> FloatArray:
    """The target in the look-back of a window, ``(48,)``: the first targets of those before."""
    return y[window - LOOK_BACK : window, 0]
