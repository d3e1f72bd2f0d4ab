"""Intervals for what was measured on a sample of laps, and paired differences."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from evaluation.confidence import CONFIDENCE
from evaluation.errors import EvaluationError

FloatArray = NDArray[np.float64]
Statistic = Callable[..., FloatArray]

RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval; NaN where undefined.

    Attributes:
        estimate: The statistic of the sample.
        low: Lower end.
        high: Upper end.
    """

    estimate: float
    low: float
    high: float


def wilson(successes: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """A share with its Wilson score interval.

    Raises:
        EvaluationError: ``successes`` is not between 0 and ``trials``.
    """
    if not 0 <= successes <= trials:
        raise EvaluationError(f"{successes} successes in {trials} trials")
    if trials == 0:
        return Interval(math.nan, math.nan, math.nan)
    bounds = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return Interval(successes / trials, float(bounds.low), float(bounds.high))


def worst_decile(values: FloatArray, axis: int = -1) -> FloatArray:
    """Mean of the worst (lowest) tenth of the values, at least one of them.

    Args:
        values: ``(..., n, ...)``, ``n`` along ``axis``.
        axis: Of the sample.
    """
    ordered = np.sort(values, axis=axis)
    worst = np.take(ordered, range(math.ceil(values.shape[axis] / 10)), axis=axis)
    return np.asarray(worst.mean(axis=axis))


def iqm(values: FloatArray, axis: int = -1) -> FloatArray:
    """Interquartile mean: of the middle half, a quarter (rounded down) left off at each end.

    Says how a typical lap goes more steadily than the median (Agarwal et al. 2021), and nothing of
    the failures, which the worst decile is there for.

    Args:
        values: ``(..., n, ...)``, ``n`` along ``axis``.
        axis: Of the sample.
    """
    return np.asarray(stats.trim_mean(values, 0.25, axis=axis))


def bootstrap(
    values: ArrayLike,
    rng: np.random.Generator,
    statistic: Statistic = np.mean,
    confidence: float = CONFIDENCE,
) -> Interval:
    """A statistic with its percentile bootstrap interval.

    One undefined (NaN) value makes the statistic undefined: dropping it would hide a failure.

    Args:
        values: One number a lap, ``(n,)``.
        rng: Draws the resamples.
        statistic: Takes ``values`` and ``axis``: ``np.mean``, ``np.median``, ``iqm``,
            ``worst_decile``.
        confidence: Of the interval.
    """
    sample = np.asarray(values, dtype=np.float64)
    if not len(sample) or not np.isfinite(sample).all():
        return Interval(math.nan, math.nan, math.nan)
    estimate = float(statistic(sample, axis=-1))
    if len(sample) == 1:
        return Interval(estimate, math.nan, math.nan)
    bounds = stats.bootstrap(
        (sample,),
        statistic,
        n_resamples=RESAMPLES,
        batch=500,
        confidence_level=confidence,
        method="percentile",
        rng=rng,
    ).confidence_interval
    return Interval(estimate, float(bounds.low), float(bounds.high))


def paired(
    first: pd.DataFrame, second: pd.DataFrame, metric: str, rng: np.random.Generator
) -> Interval:
    """Mean of ``second - first`` over the same laps, with its bootstrap interval over pairs.

    Args:
        first: Laps with the columns ``lap``, ``map``, ``seed`` and the metric.
        second: As many laps, on the same maps with the same seeds.
        metric: Name of the column.
        rng: Draws the resamples.

    Raises:
        EvaluationError: The laps are not the same ones.
    """
    keys = ["lap", "map", "seed"]
    pairs = first[[*keys, metric]].merge(second[[*keys, metric]], on=keys, suffixes=("", "_2"))
    if not len(pairs) == len(first) == len(second):
        raise EvaluationError(
            f"{len(first)} and {len(second)} laps have {len(pairs)} pairs of lap, map and seed"
        )
    difference = pairs[f"{metric}_2"].astype(float) - pairs[metric].astype(float)
    return bootstrap(difference.to_numpy(), rng)


def paired_shares(
    first: ArrayLike, second: ArrayLike, design_effect: float = 1.0, confidence: float = CONFIDENCE
) -> Interval:
    """Share of the second less that of the first, of the same laps, with its interval.

    The interval is Agresti and Min's (2005), Wald's after half a lap has been added to each of the
    four outcomes: it has a width where a bootstrap has none, as when no lap failed.

    Args:
        first: 0 or 1 for each lap, of any shape.
        second: Of the same laps in the same order.
        design_effect: How many laps are worth one, where they are not independent.
        confidence: Of the interval.

    Raises:
        EvaluationError: They are not as many.
    """
    before, now = (np.asarray(flags, dtype=np.float64).ravel() for flags in (first, second))
    if len(before) != len(now):
        raise EvaluationError(f"{len(before)} and {len(now)} laps are no pairs")
    if not len(before):
        return Interval(math.nan, math.nan, math.nan)
    laps = len(now) / design_effect
    won, lost = (((now - before) == sign).sum() / design_effect for sign in (1, -1))
    middle = (won - lost) / (laps + 2)
    error = math.sqrt(won + lost + 1 - (won - lost) ** 2 / (laps + 2)) / (laps + 2)
    half = float(stats.norm.ppf(0.5 + confidence / 2)) * error
    return Interval(float((now - before).mean()), max(-1.0, middle - half), min(1.0, middle + half))
