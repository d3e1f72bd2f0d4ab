"""How often each action was demonstrated, and driven."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from policies.protocol import ACTION_HIGH, ACTION_LOW, ACTIONS

BINS = 50


def action_histograms(
    labels: Sequence[NDArray[np.float32]], executed: Sequence[NDArray[np.float32]], title: str
) -> Figure:
    """Share of the steps by the value of steer, gas and brake, on a logarithmic scale.

    Args:
        labels: What the expert wanted, an array ``(steps, 3)`` an episode.
        executed: What was driven, likewise; empty where that is not known.
        title: Above it.
    """
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    panels = figure.subplots(1, len(ACTIONS), width_ratios=[2, 1, 1], sharey=True)
    for i, (axes, name) in enumerate(zip(panels, ACTIONS, strict=True)):
        bins = np.linspace(ACTION_LOW[i], ACTION_HIGH[i], BINS + 1).tolist()
        wanted = _finite(labels, i)
        axes.hist(wanted, bins, weights=_shares(wanted), color="C0", label="label of the expert")
        if executed:
            driven = _finite(executed, i)
            style = {"histtype": "step", "color": "C1", "linewidth": 1.4, "label": "driven"}
            axes.hist(driven, bins, weights=_shares(driven), **style)
        if len(wanted):
            moments = f"mean {wanted.mean():.3f}, standard deviation {wanted.std():.3f}"
            axes.set_title(moments, fontsize="small")
        least = 50 / max(len(wanted), 1)  # half a step
        axes.set(xlabel=name + (" (right positive)" if i == 0 else ""), ylim=(least, 150))
        axes.set_yscale("log")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("Share of the steps (%)")
    panels[0].legend(frameon=False, fontsize="small")
    figure.suptitle(title, fontsize="medium")
    return figure


def _finite(actions: Sequence[NDArray[np.float32]], component: int) -> NDArray[np.float64]:
    """One component of all steps; nothing can be drawn of what is no number."""
    values = np.concatenate([own[:, component] for own in actions]).astype(np.float64)
    return values[np.isfinite(values)]


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.full(len(values), 100 / max(len(values), 1))
