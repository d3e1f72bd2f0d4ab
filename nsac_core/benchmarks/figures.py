"""The figure of a run: error by method, calibration, and error of the most certain share."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
from numpy.typing import NDArray
from torch import Tensor

from nsac_core import metrics
from nsac_core.benchmarks.cells import prediction_of
from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.paper import published
from nsac_core.methods import METHODS, Prediction

FloatArray = NDArray[np.float64]

COLOURS = {
    "nsac": "#D55E00",
    "gmle": "#0072B2",
    "deep_ensemble": "#009E73",
    "mc_dropout": "#CC79A7",
    "evidential": "#E69F00",
    "sde_net": "#56B4E9",
}
"""Okabe and Ito's, which the colour-blind tell apart; references are grey, told apart by dashes."""

OVERVIEW = "error by method, calibration, and error of the most certain share"
"""What ``overview`` shows, in words."""

_DASHES = {
    "constant": ":",
    "clock": "--",
    "boosting": "-.",
    "persistence": "--",
    "seasonal_naive": "-.",
    "linear": (0, (6, 1, 1, 1, 1, 1)),
    "linear_all": (0, (3, 1)),
    "ridge": "--",
    "mlp": "-.",
    "gp": (0, (6, 1, 1, 1, 1, 1)),
}
_SHARES = np.linspace(0.05, 1.0, 96)


def overview(
    data_set: str,
    predictions: pd.DataFrame,
    scores: pd.DataFrame,
    target: str = "the scaled target",
) -> Figure:
    """Three panels: MSE with the paper's beside, coverage by level, MSE by share kept.

    Args:
        data_set: The run's.
        predictions: All rows of the run.
        scores: As from ``score``, in the order to show.
        target: What the error is of.
    """
    figure = Figure(figsize=(13, 4.4), layout="constrained")
    error, calibration, risk = figure.subplots(1, 3)
    models = [str(m) for m in scores["model"].drop_duplicates() if "_lambda_" not in m]
    rows = predictions[predictions["sigma"] == 0]
    _draw_error(error, data_set, scores, models)
    _draw_calibration(calibration, rows, models)
    _draw_risk(risk, rows, models)
    for axes in (error, calibration, risk):
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = calibration.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)
    error.set_xlabel(f"MSE of {target}")
    figure.suptitle(f"{data_set}, {scores['seed'].nunique()} seeds")
    return figure


def _draw_error(axes: Axes, data_set: str, scores: pd.DataFrame, models: list[str]) -> None:
    for place, model in enumerate(models):
        values = scores.loc[scores["model"] == model, "mse"].to_numpy(np.float64)
        colour = COLOURS.get(model, "0.45")
        axes.plot(values, np.full(len(values), place), ".", color=colour, alpha=0.5)
        axes.errorbar(values.mean(), place, xerr=values.std(), fmt="o", color=colour, capsize=3)
        theirs = published(data_set, model, "mse")
        if theirs is not None:
            axes.plot(theirs.mean, place, "D", mfc="none", color="0.3", ms=6)
    axes.plot([], [], "D", mfc="none", color="0.3", ms=6, label="published")
    axes.set_yticks(range(len(models)), [title(model) for model in models])
    axes.invert_yaxis()
    axes.set_xscale("log")
    plain_ticks(axes.xaxis)
    axes.grid(axis="x", which="both", color="0.92")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.1))


def _draw_calibration(axes: Axes, rows: pd.DataFrame, models: list[str]) -> None:
    axes.plot([0, 1], [0, 1], color="0.8", linewidth=3, label="calibrated")
    for model in models:
        curves = [metrics.calibration_curve(*cell) for cell in _cells(rows, model)]
        coverage = np.mean([curve.cpu().numpy() for _, curve in curves], axis=0)
        axes.plot(curves[0][0].cpu().numpy(), coverage, label=title(model), **_style(model))
    axes.set_xlabel("Level of the central interval")
    axes.set_ylabel("Share of targets inside")
    axes.set_aspect("equal")
    axes.set(xlim=(0, 1), ylim=(0, 1))


def _draw_risk(axes: Axes, rows: pd.DataFrame, models: list[str]) -> None:
    for model in models:
        curves = [metrics.risk_coverage(*cell) for cell in _cells(rows, model)]
        risk = np.mean(
            [np.interp(_SHARES, share.cpu().numpy(), risk.cpu().numpy()) for share, risk in curves],
            axis=0,
        )
        axes.plot(_SHARES, risk, **_style(model))
    axes.set_yscale("log")
    plain_ticks(axes.yaxis)
    axes.set_xlabel("Share of test rows kept, most certain first")
    axes.set_ylabel("MSE of those kept")


def plain_ticks(axis: Axis) -> None:
    """Numbers such as 0.002 at 1, 2 and 5 of each decade, or at 1 where the range is wide."""
    low, high = axis.get_view_interval()
    wide = high > 300 * low
    axis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def _cells(rows: pd.DataFrame, model: str) -> Iterator[tuple[Prediction, Tensor]]:
    for _, cell in rows[rows["model"] == model].groupby("seed"):
        yield prediction_of(cell)


def _style(model: str) -> dict[str, Any]:
    if model in METHODS:
        return {"color": COLOURS.get(model, "black"), "linewidth": 1.8}
    return {"color": "0.45", "linewidth": 1.2, "linestyle": _DASHES.get(model, "-")}
