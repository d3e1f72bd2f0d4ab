"""The paper's Figure 7: a panel for each study."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from nsac_core.benchmarks.ablations.config import StudyName
from nsac_core.benchmarks.ablations.studies import BASE, LENGTHS, STUDIES, TOP_KS, Study, by_length
from nsac_core.benchmarks.ablations.tables import values_of
from nsac_core.benchmarks.experiment import Picture, Run
from nsac_core.benchmarks.figures import plain_ticks
from nsac_core.benchmarks.spiral.parts import EXTRAPOLATION, INTERPOLATION

FloatArray = NDArray[np.float64]

ORDER: tuple[StudyName, ...] = ("heads", "sparsity", "length", "samples", "ood_mean", "ood_std")
"""Of the panels, as in the paper."""

_COLOURS = {INTERPOLATION: "#1F4E9C", EXTRAPOLATION: "#C62828"}
_LINES = {"mse": "-", "mae": "--", "crps": "-"}
_OF_KEYS = ("#440154", "#3B528B", "#21918C", "#5EC962", "#D8B200")


def figures(run: Run) -> dict[str, Picture]:
    """A panel for each study that has run, as far as it has."""
    known = set(run.scores["model"])
    panels = [name for name in ORDER if not known.isdisjoint(_models(name))]
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(4.4 * columns, 3.7 * rows + 0.3), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for name, axes in zip(panels, grid.flat, strict=False):
        if name == "length":
            _draw_lengths(axes, run)
        else:
            _draw_study(axes, run, STUDIES[name])
        axes.set_title("ABCDEF"[ORDER.index(name)], loc="left", fontweight="bold")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="0.92")
    figure.legend(handles=_legend(), loc="outside lower center", ncols=4, frameon=False)
    words = "error of NSAC by heads, sparsity, keys and length, draws, mean and std of perturbation"
    return {"figure": (figure, words)}


def _models(name: StudyName) -> list[str]:
    """Variants whose presence says that a study has run: the base alone says nothing."""
    if name == "length":
        return [by_length(top_k, length).name for top_k in TOP_KS for length in LENGTHS]
    study = STUDIES[name]
    return [study.contender(value).name for value in study.values if value != BASE[study.option]]


def _draw_study(axes: Axes, run: Run, study: Study) -> None:
    """Both regimes on one axis, or where they are far apart on one each."""
    apart = axes.twinx() if study.metrics == ("crps",) else axes
    for part, colour in _COLOURS.items():
        own = axes if part == INTERPOLATION else apart
        for metric in study.metrics:
            cells = [
                (value, values_of(run.scores, study.contender(value).name, part, metric))
                for value in study.values
            ]
            _band(own, cells, color=colour, linestyle=_LINES[metric])
        if apart is not axes:
            own.set_ylabel(f"CRPS, {part}", color=colour)
            own.tick_params(axis="y", labelcolor=colour)
            own.set_ylim(0)
    axes.set_xlabel(study.label)
    if apart is axes:
        axes.set(yscale="log", ylabel="MSE, MAE")
        plain_ticks(axes.yaxis)
    if study.option == "heads":
        axes.set_xscale("log", base=2)
    axes.set_xticks(study.values, [f"{value:g}" for value in study.values])
    axes.xaxis.set_minor_locator(NullLocator())
    apart.spines["top"].set_visible(False)


def _legend() -> list[Line2D]:
    regimes = [Line2D([], [], color=colour, label=part) for part, colour in _COLOURS.items()]
    return [
        *regimes,
        Line2D([], [], color="0.3", linestyle="-", label="MSE, CRPS"),
        Line2D([], [], color="0.3", linestyle="--", label="MAE"),
    ]


def _draw_lengths(axes: Axes, run: Run) -> None:
    for top_k, colour in zip(TOP_KS, _OF_KEYS, strict=True):
        cells = [
            (
                float(length),
                values_of(run.scores, by_length(top_k, length).name, INTERPOLATION, "mse"),
            )
            for length in LENGTHS
        ]
        _band(axes, cells, color=colour, linestyle="-", label=f"K = {top_k}")
    axes.set(xscale="log", yscale="log", xlabel="length of the sequence")
    plain_ticks(axes.yaxis)
    axes.set_ylabel("MSE, interpolation")
    axes.legend(frameon=False, fontsize=8)


def _band(
    axes: Axes,
    cells: list[tuple[float, list[float]]],
    color: str,
    linestyle: str,
    label: str | None = None,
) -> None:
    done = [(value, np.asarray(numbers)) for value, numbers in cells if numbers]
    if not done:
        return
    x = [value for value, _ in done]
    mean, std = (np.array([f(n) for _, n in done]) for f in (np.mean, np.std))
    axes.plot(x, mean, marker=".", color=color, linestyle=linestyle, label=label)
    # A logarithmic axis has no place for a band that reaches zero.
    axes.fill_between(x, np.maximum(mean - std, 0.2 * mean), mean + std, color=color, alpha=0.15)
