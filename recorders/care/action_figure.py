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
        wanted = np.concatenate([own[:, i] for own in labels])
        weights = np.full(len(wanted), 100 / len(wanted))
        axes.hist(wanted, bins, weights=weights, color="C0", label="label of the expert")
        if executed:
            driven = np.concatenate([own[:, i] for own in executed])
            axes.hist(
                driven,
                bins,
                weights=np.full(len(driven), 100 / len(driven)),
                histtype="step",
                color="C1",
                linewidth=1.4,
                label="driven",
            )
        mean, spread = float(wanted.mean()), float(wanted.std())
        axes.set_title(f"mean {mean:.3f}, standard deviation {spread:.3f}", fontsize="small")
        least = 50 / len(wanted)  # half a step
        axes.set(xlabel=name + (" (right positive)" if i == 0 else ""), ylim=(least, 150))
        axes.set_yscale("log")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("Share of the steps (%)")
    panels[0].legend(frameon=False, fontsize="small")
    figure.suptitle(title, fontsize="medium")
    return figure
