"""Pictures of a comparison: returns of all laps, and completion with its interval, by method."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.comparison.laps import Driven
from evaluation.comparison.tables import arms_of, by_method, interval_of
from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.figures import COLOURS, plain_ticks

_MARKERS = {"plain": "o", "dagger": "s", "colours": "^"}
_FILLS = {"plain": "none", "dagger": "full", "colours": "left"}


def overview(driven: Driven, rng: np.random.Generator) -> Figure:
    """Completion, mean return and lateral error by method and arm, with 95 % intervals."""
    names = (
        ("completed", "Laps completed (%)", 100.0),
        ("return", "Mean return", 1.0),
        ("lateral_rmse", "Lateral error, RMSE (units)", 1.0),
    )
    figure = Figure(figsize=(13, 4.6), layout="constrained")
    for axes, (name, words, factor) in zip(figure.subplots(1, 3, sharey=True), names, strict=True):
        _draw_measure(axes, driven, (name, factor), rng)
        axes.set_xlabel(words)
        if name == "lateral_rmse":  # a car that is lost is far away
            axes.set_xscale("log")
            plain_ticks(axes.xaxis)
        axes.grid(axis="x", color="0.92")
        axes.spines[["top", "right"]].set_visible(False)
    ceilings = figure.axes[0].get_legend_handles_labels()[0]
    handles = [
        figure.axes[0].plot([], [], _MARKERS[arm], color="0.3", fillstyle=_FILLS[arm], label=arm)[0]
        for arm in arms_of(driven.clones)
    ]
    figure.legend(handles=[*handles, *ceilings], loc="outside lower center", ncols=6, frameon=False)
    return figure


def returns(driven: Driven) -> Figure:
    """Every lap's return, a column for each arm and a row for each method."""
    arms = arms_of(driven.clones)
    figure = Figure(figsize=(4.2 * len(arms) + 1.5, 4.4), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(arms), sharex=True, sharey=True))
    for axes, arm in zip(panels, arms, strict=True):
        laps = list(by_method(driven.clones[driven.clones["arm"] == arm]))
        for place, (method, own) in enumerate(laps):
            _draw_laps(axes, place, own, COLOURS.get(method, "0.4"))
        axes.axvline(860, color="0.6", linewidth=1, linestyle="--")
        axes.set_title(arm)
        axes.set_xlabel("Return of a lap (dashed: success)")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(laps)), [title(method) for method, _ in laps])
    panels[0].invert_yaxis()
    return figure


def _draw_measure(
    axes: Axes, driven: Driven, measure: tuple[str, float], rng: np.random.Generator
) -> None:
    name, factor = measure
    arms = arms_of(driven.clones)
    methods = [method for method, _ in by_method(driven.clones)]
    for offset, arm in zip(np.linspace(-0.22, 0.22, len(arms)), arms, strict=True):
        for method, own in by_method(driven.clones[driven.clones["arm"] == arm]):
            found = interval_of(own, name, rng)
            middle, low, high = factor * np.array([found.estimate, found.low, found.high])
            axes.errorbar(
                *(middle, methods.index(method) + offset),
                xerr=[[middle - low], [high - middle]],
                fmt=_MARKERS[arm],
                fillstyle=_FILLS[arm],
                color=COLOURS.get(method, "0.4"),
                capsize=2,
            )
    for number, (policy, own) in enumerate(_ceilings(driven)):
        style = ("-", ":")[number % 2]
        mean = factor * own[name].astype(float).mean()
        axes.axvline(mean, color="0.5", linewidth=1, linestyle=style, label=policy)
    axes.set_yticks(range(len(methods)), [title(method) for method in methods])
    axes.set_ylim(len(methods) - 0.5, -0.5)


def _ceilings(driven: Driven) -> list[tuple[str, pd.DataFrame]]:
    if driven.ceilings.empty:
        return []
    return [(str(name), own) for name, own in driven.ceilings.groupby("policy", sort=False)]


def _draw_laps(axes: Axes, place: int, laps: pd.DataFrame, colour: str) -> None:
    values = laps["return"].to_numpy(dtype=np.float64)
    spread = 0.25 * np.sin(np.arange(len(values)) * 2.4)  # the same each time
    done = laps["completed"].to_numpy(dtype=bool)
    axes.scatter(values[done], place + spread[done], s=14, color=colour, alpha=0.6, linewidth=0)
    axes.scatter(values[~done], place + spread[~done], s=18, color=colour, alpha=0.8, marker="x")
    axes.plot([np.median(values)] * 2, [place - 0.35, place + 0.35], color="black", linewidth=2)
