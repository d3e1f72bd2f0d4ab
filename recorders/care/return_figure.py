"""The return of every episode."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

_OUTCOMES = {
    "lap": ("C0", "o"),
    "time": ("C1", "s"),
    "lost": ("C3", "x"),
    "stalled": ("C4", "v"),
    "playfield": ("C5", "D"),
}


def returns(numbers: Sequence[int], entries: Sequence[dict[str, Any]], title: str) -> Figure:
    """A mark an episode, by how it ended, and the median.

    Args:
        numbers: Of the episodes.
        entries: Metadata of each.
        title: Above it.
    """
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.add_subplot()
    values = np.array([float(entry.get("return", np.nan)) for entry in entries])
    ends = np.array([str(entry.get("outcome", "unknown")) for entry in entries])
    for end in dict.fromkeys(ends):
        colour, marker = _OUTCOMES.get(end, ("C7", "*"))
        chosen = ends == end
        label = f"{end} ({chosen.sum()})"
        axes.plot(np.array(numbers)[chosen], values[chosen], marker, color=colour, label=label)
    if np.isfinite(values).any():
        median = float(np.nanmedian(values))
        axes.axhline(median, color="0.6", linewidth=0.8, zorder=0)
        axes.set_title(f"{title}: median {median:.1f}", fontsize="medium")
    axes.set(xlabel="Episode", ylabel="Return")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
