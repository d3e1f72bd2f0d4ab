"""Steps counted by lap and by rank of uncertainty, so that laps can be resampled at once.

A step's class is its rank among all steps of the same model, in ``CLASSES`` equal parts: models
state uncertainties on scales of their own, and pooled raw they would be ranked by model first. A
resample of laps is a row of weights, and every statistic a function of the weighted counts.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from evaluation.confidence import CONFIDENCE
from evaluation.statistics import RESAMPLES, Interval

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

CLASSES = 500
LEAST_DEFINED = 0.95
"""Share of the resamples in which a statistic must be defined for an interval to be given."""


@dataclass(frozen=True)
class Laps:
    """The laps of one method.

    Attributes:
        models: Which model drove each, ``(laps,)``.
        tracks: And where, ``(laps,)``.
    """

    models: IntArray
    tracks: IntArray

    def weights(self, rng: np.random.Generator, resamples: int = RESAMPLES) -> FloatArray:
        """How often each lap is drawn where models and tracks are resampled, ``(resamples, laps)``.

        The pigeonhole bootstrap, as in ``intervals.crossed_bootstrap``.
        """
        drawn = np.ones((resamples, len(self.models)))
        for kind in (self.models, self.tracks):
            names, index = np.unique(kind, return_inverse=True)
            times = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), resamples)
            drawn *= times[:, index]
        return drawn


def classes(score: FloatArray) -> IntArray:
    """The class of each step, 0 the surest, ``(steps,)``; equal scores share theirs."""
    return np.asarray(((rankdata(score) - 0.5) / max(len(score), 1) * CLASSES).astype(np.int64))


def count(lap: IntArray, rank: IntArray, value: FloatArray, laps: int) -> FloatArray:
    """Sum of a value by lap and class, ``(laps, CLASSES)``.

    Args:
        lap: Number of each step's lap, ``(steps,)``.
        rank: Its class, ``(steps,)``.
        value: What is summed, ``(steps,)``.
        laps: How many there are.
    """
    sums = np.bincount(lap * CLASSES + rank, weights=value, minlength=laps * CLASSES)
    return np.asarray(sums.reshape(laps, CLASSES))


def auroc(positive: FloatArray, negative: FloatArray) -> FloatArray:
    """Area under the ROC curve, ties half; NaN where there is none of a kind.

    Args:
        positive: Counts of positive steps, ``(..., CLASSES)``.
        negative: Of the others.
    """
    below = negative.cumsum(axis=-1) - 0.5 * negative
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((positive * below).sum(-1) / positive.sum(-1) / negative.sum(-1))


def roc(positive: FloatArray, negative: FloatArray) -> tuple[FloatArray, FloatArray]:
    """False and true alarm rates from the strictest threshold to the laxest.

    Args:
        positive: Counts ``(CLASSES,)``.
        negative: Likewise.
    """
    false, true = (np.append(0.0, n[::-1].cumsum()) / n.sum() for n in (negative, positive))
    return false, true


def risk(steps: FloatArray, error: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shares kept and the mean error of the steps kept, the surest first.

    Args:
        steps: Counts, ``(..., CLASSES)``.
        error: Sums of the errors, likewise.
    """
    kept, sums = steps.cumsum(axis=-1), error.cumsum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return kept / kept[..., -1:], sums / kept


def mean_risk(steps: FloatArray, error: FloatArray) -> FloatArray:
    """Mean of the risk over all shares, ``(...)``: the area under the curve."""
    _, curve = risk(steps, error)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((np.nan_to_num(curve) * steps).sum(-1) / steps.sum(-1))


def excess_risk(
    ranked: tuple[FloatArray, FloatArray], best: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Area above the best possible curve, as a share of a random order's: 0 perfect, 1 chance.

    Args:
        ranked: Counts and sums of errors by uncertainty, ``(..., CLASSES)`` each.
        best: The same by the error itself.
    """
    least = mean_risk(*best)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = ranked[1].sum(-1) / ranked[0].sum(-1)
        return np.asarray((mean_risk(*ranked) - least) / (mean - least))


def interval(estimate: float, samples: FloatArray) -> Interval:
    """The percentile interval; NaN where too few resamples define the statistic."""
    defined = samples[np.isfinite(samples)]
    if not math.isfinite(estimate) or len(defined) < LEAST_DEFINED * len(samples):
        return Interval(estimate, math.nan, math.nan)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(estimate, float(low), float(high))
