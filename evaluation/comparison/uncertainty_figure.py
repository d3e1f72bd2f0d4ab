"""The picture of what the uncertainty was worth: ROC and risk-coverage curves by part."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.figures import COLOURS

if TYPE_CHECKING:
    from evaluation.comparison.uncertainty import Rating

PANELS = {
    "roc": ("False alarms (share of safe steps)", "Alarms before leaving the road"),
    "open_loop_risk": ("Steps kept, surest first (share)", "Squared steering error of those kept"),
    "driving_risk": (
        "Steps kept, surest first (share)",
        "Largest lateral error within 1 s (units)",
    ),
}
"""Curves from top to bottom, and the words of their axes."""
LEAST_KEPT = 0.02
"""Share of the steps below which a mean error is too noisy to draw."""


def draw(ratings: Sequence["Rating"]) -> Figure:
    """A row for each kind of curve that there is, a column for each part of the uncertainty."""
    kinds = [kind for kind in PANELS if any(kind in rating.curves for rating in ratings)]
    parts = list(dict.fromkeys(rating.part for rating in ratings))
    figure = Figure(figsize=(13, 4.0 * max(len(kinds), 1) + 0.6), layout="constrained")
    if not kinds:
        figure.text(0.5, 0.5, "no uncertainty was stated", ha="center")
        return figure
    panels = figure.subplots(len(kinds), len(parts), sharey="row", squeeze=False)
    for row, kind in zip(panels, kinds, strict=True):
        for axes, part in zip(row, parts, strict=True):
            _draw_curves(axes, kind, [rating for rating in ratings if rating.part == part])
            axes.set_xlabel(PANELS[kind][0])
        row[0].set_ylabel(PANELS[kind][1])
        row[0].set_ylim(bottom=0)  # once all are drawn: it ends the scaling to what there is
    for axes, part in zip(panels[0], parts, strict=True):
        axes.set_title(part)
    _legend(figure, ratings)
    return figure


def _draw_curves(axes: Axes, kind: str, ratings: Sequence["Rating"]) -> None:
    if kind == "roc":
        axes.plot([0, 1], [0, 1], color="0.8", linewidth=3)
        axes.set_aspect("equal")
    for rating in ratings:
        if kind not in rating.curves:
            continue
        x, y = rating.curves[kind]
        kept = np.isfinite(y) & ((x >= LEAST_KEPT) | (kind == "roc"))
        axes.plot(x[kept], y[kept], color=_colour(rating.method), linewidth=1.6)
    axes.set_xlim(0, 1)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(figure: Figure, ratings: Sequence["Rating"]) -> None:
    methods = dict.fromkeys(rating.method for rating in ratings if rating.curves)
    lines = [
        figure.axes[0].plot([], [], color=_colour(method), label=title(method))[0]
        for method in methods
    ]
    figure.legend(handles=lines, loc="outside lower center", ncols=6, frameon=False)


def _colour(method: str) -> str:
    return COLOURS.get(method, "0.45")
