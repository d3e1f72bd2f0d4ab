"""Figures of the spiral: the paper's Figures 2 (tubes of all methods) and 3 (decomposition)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.experiment import Picture, Run
from nsac_core.benchmarks.spiral.curves import POINTS
from nsac_core.benchmarks.spiral.parts import EXTRAPOLATION, HALF, INTERPOLATION, OBSERVED, SEEN
from nsac_core.benchmarks.spiral.tables import WITH, WITHOUT
from nsac_core.methods import METHODS

FloatArray = NDArray[np.float64]

_TUBE, _KNOWN, _BEYOND, _TRUTH = "#D9CCEC", "#1F4E9C", "#C62828", "#2E9E4F"
_STDS = 2.0


@dataclass(frozen=True)
class Curve:
    """What a model predicts of the first spiral of a test.

    Attributes:
        truth: ``(points, 2)``.
        mean: ``(points, 2)``.
        variances: Aleatoric and epistemic, ``(points, 2)`` each.
        seen: Observed points, ``(seen, 2)``.
    """

    truth: FloatArray
    mean: FloatArray
    variances: dict[str, FloatArray]
    seen: FloatArray

    def width(self, *parts: str) -> FloatArray:
        """Two standard deviations across the curve, of the sum of these variances."""
        variance = np.sum([self.variances[part] for part in parts], axis=0)
        across = np.square(self.normals()) * variance
        return np.asarray(_STDS * np.sqrt(across.sum(1)))

    def normals(self) -> FloatArray:
        """Unit vectors across the true curve, ``(points, 2)``."""
        along = np.gradient(self.truth, axis=0)
        length = np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
        across: FloatArray = np.column_stack([-along[:, 1], along[:, 0]]) / length
        return across


def curve(rows: pd.DataFrame) -> Curve:
    """The first spiral of the rows of one cell, as they are."""
    first = rows[(rows["sigma"] == 0) & (rows["row"] < SEEN + POINTS)]
    grid = first[first["part"].isin([INTERPOLATION, EXTRAPOLATION])]
    seen = first[first["part"] == OBSERVED]
    truth, mean, aleatoric, epistemic = (
        _points(grid, name) for name in ("y", "mean", "aleatoric", "epistemic")
    )
    variances = {"aleatoric": aleatoric, "epistemic": epistemic}
    return Curve(truth, mean, variances, _points(seen, "y"))


def figures(run: Run) -> dict[str, Picture]:
    """Figure 2, and Figure 3 where NSAC was trained without its regulariser too."""
    seed = int(run.predictions["seed"].min())
    curves = {
        str(model): curve(rows)
        for model, rows in run.predictions[run.predictions["seed"] == seed].groupby("model")
    }
    within = run.settings["observed"] == "all"
    found = {"tubes": _tubes(curves, within)}
    if WITH in curves and WITHOUT in curves:
        found["variances"] = _decomposition(curves, within)
    return found


def _tubes(curves: dict[str, Curve], within: bool) -> Picture:
    models = [model for model in METHODS if model in curves] or sorted(curves)
    panels = [(title(model), curves[model], ("aleatoric", "epistemic")) for model in models]
    words = "the curve as each method predicts it, with tubes of two standard deviations"
    return _panels(panels, 3, within), words


def _decomposition(curves: dict[str, Curve], within: bool) -> Picture:
    panels = [
        (f"{part}, {words} the regulariser", curves[model], (part,))
        for part in ("aleatoric", "epistemic")
        for model, words in ((WITH, "with"), (WITHOUT, "without"))
    ]
    words = "aleatoric and epistemic tubes of NSAC, with and without its regulariser"
    return _panels(panels, 2, within), words


def _panels(
    panels: Sequence[tuple[str, Curve, tuple[str, ...]]], columns: int, within: bool
) -> Figure:
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(4.1 * columns, 4.2 * rows + 0.5), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for letter, axes, (heading, shown, parts) in zip("ABCDEFGHIJ", grid.flat, panels, strict=False):
        _draw(axes, shown, parts, within)
        axes.set_title(f"{letter}  {heading}", loc="left")
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False)
    return figure


def _draw(axes: Axes, shown: Curve, parts: tuple[str, ...], within: bool) -> None:
    known, beyond = slice(0, HALF + 1), slice(HALF, POINTS)
    style: dict[str, Any] = {"color": _TRUTH, "linewidth": 1.6, "zorder": 3}
    axes.plot(*shown.truth[known].T, **style, label="the curve")
    axes.plot(*shown.truth[beyond].T, **style, linestyle="-" if within else ":")
    axes.add_collection(_tube(shown, shown.width(*parts)))
    axes.plot([], [], color=_TUBE, linewidth=8, label="mean ± 2 std")
    axes.plot(*shown.mean[known].T, color=_KNOWN, linewidth=1.4, zorder=4, label="mean, first half")
    axes.plot(
        *shown.mean[beyond].T, color=_BEYOND, linewidth=1.4, zorder=4, label="mean, second half"
    )
    axes.plot(*shown.seen.T, ".", color="black", markersize=3, zorder=5, label="observed")
    low, high = shown.truth.min(0), shown.truth.max(0)
    margin = 0.15 * (high - low).max()
    axes.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin))
    axes.set_aspect("equal")


def _tube(shown: Curve, width: FloatArray) -> PolyCollection:
    """One quadrilateral between each two points: a tube may cross itself."""
    offset = shown.normals() * width[:, None]
    left, right = shown.mean + offset, shown.mean - offset
    pieces = np.stack([left[:-1], left[1:], right[1:], right[:-1]], axis=1)
    return PolyCollection(list(pieces), facecolor=_TUBE, edgecolor=_TUBE, zorder=1)


def _points(rows: pd.DataFrame, name: str) -> FloatArray:
    """``(points, 2)`` in the order of the curve."""
    table = rows.pivot_table(index="row", columns="output", values=name)
    return table.to_numpy(np.float64)
