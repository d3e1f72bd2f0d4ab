"""What each neuron knows: its correlations along a lap, and whether it tells left from right."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.foresight import auroc
from evaluation.inspection.trace_columns import neurons, summaries
from evaluation.metrics.base import column

FloatArray = NDArray[np.float64]

TURN = 0.05
"""Steering to the left is a predicted mean below minus this, to the right one above it; between
them, on somewhat more than half of the steps of the bundled driver, it is straight on."""

KNOWN = ("steering", "curvature", "lateral_error")
"""What traces are correlated with."""


def situations(steps: pd.DataFrame) -> pd.DataFrame:
    """What was decided at each step, and where the car was when it was.

    Args:
        steps: Of one lap. Its rows hold the state to which a decision led: that of the decision is
            in the row before. The first has none, and takes that of its own.

    Returns:
        ``steering`` (the predicted mean, right positive), ``curvature`` of the road and
        ``lateral_error`` (left positive).
    """
    state = steps[["curvature", "lateral_error"]].shift(1).bfill()
    state.iloc[:1] = steps[["curvature", "lateral_error"]].iloc[:1]
    return state.assign(steering=steps["mean_steer"])[list(KNOWN)].astype(np.float64)


def correlations(traces: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Rates every neuron, centroid and mean of a driver.

    The steps of a lap are not independent: these describe the laps, and no test follows from them.

    Args:
        traces: Of one or more laps of one driver.
        known: ``situations`` of the same steps.

    Returns:
        A row a trace: ``trace``, ``neuron`` (whether it is one), ``std``; Pearson's correlation
        with each of ``KNOWN``; and the area under the ROC curve of telling ``left`` and ``right``
        by large values, ``straight`` by closeness to the median, each from the two others: .5
        tells nothing, 0 (small values, or far from it) as much as 1. NaN where undefined.
    """
    single = neurons(traces)
    names = [*summaries(traces), *single]
    values = traces[names].to_numpy(np.float64)
    steering = column(known, "steering")
    table = pd.DataFrame(
        {"trace": names, "neuron": np.isin(names, single), "std": values.std(axis=0)}
    )
    for name in KNOWN:
        table[name] = _pearson(values, column(known, name))
    off_median = np.abs(values - np.median(values, axis=0))
    left, right = steering < -TURN, steering > TURN
    scores = {
        "left": (values, left),
        "right": (values, right),
        "straight": (-off_median, ~(left | right)),
    }
    for name, (score, positive) in scores.items():
        table[name] = [auroc(one, positive) for one in score.T]
    table.loc[table["std"] == 0, list(scores)] = math.nan
    return table


def strongest(table: pd.DataFrame, count: int, known: str = "steering") -> pd.DataFrame:
    """The rows of the neurons most correlated, by magnitude; those undefined never."""
    single = table[table["neuron"] & table[known].notna()]
    order = single[known].abs().sort_values(ascending=False, kind="stable").index
    return single.loc[order[:count]]


def weakest(table: pd.DataFrame, count: int, known: str = "steering") -> pd.DataFrame:
    """The rows of the neurons least correlated, the least first."""
    return strongest(table, len(table), known).iloc[::-1].head(count)


def pooled(laps: Sequence[tuple[pd.DataFrame, pd.DataFrame]]) -> pd.DataFrame:
    """``correlations`` of several laps of a driver together: their traces and steps."""
    traces = pd.concat([own for own, _ in laps], ignore_index=True)
    known = pd.concat([situations(steps) for _, steps in laps], ignore_index=True)
    return correlations(traces, known)


def _pearson(values: FloatArray, other: FloatArray) -> FloatArray:
    """Correlation of each column with another one; NaN where one of them is constant."""
    centred, target = values - values.mean(axis=0), other - other.mean()
    product = np.sqrt((centred**2).sum(axis=0) * (target**2).sum())
    constant = (np.ptp(values, axis=0) == 0) | (np.ptp(other) == 0)
    product[constant] = math.nan
    return np.asarray(target @ centred / product)
