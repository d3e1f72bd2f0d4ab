"""Intervals of laps that are not independent: several models on the same tracks.

Laps are a matrix, a row for each model of a method and a column for each track. Both are samples:
other seeds would train other models, and other tracks would be as unseen. So both are resampled,
rows and columns independently (the pigeonhole bootstrap of Owen, 2007, which is never too narrow).
"""

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from evaluation.confidence import CONFIDENCE
from evaluation.errors import EvaluationError
from evaluation.statistics import RESAMPLES, Interval, Statistic

FloatArray = NDArray[np.float64]

BLOCK = 4_000_000
"""Resampled values in memory at once."""


def matrix(laps: pd.DataFrame, metric: str) -> FloatArray:
    """A metric of the laps of one method, ``(models, tracks)``.

    Args:
        laps: With the columns ``model``, ``lap`` and the metric.
        metric: Name of the column.

    Raises:
        EvaluationError: A model has not driven all the laps.
    """
    table = laps.pivot(index="model", columns="lap", values=metric).astype(float)
    if len(laps) != table.size:
        raise EvaluationError(f"{len(laps)} laps, {table.size} expected: models drove other laps")
    return table.to_numpy(dtype=np.float64)


def crossed_bootstrap(
    values: FloatArray,
    rng: np.random.Generator,
    statistic: Statistic = np.mean,
    confidence: float = CONFIDENCE,
) -> Interval:
    """A statistic of all laps with its percentile interval over models and tracks.

    One undefined (NaN) value makes the statistic undefined.

    Args:
        values: ``(models, tracks)``.
        rng: Draws the resamples.
        statistic: Takes ``values`` and ``axis``: ``np.mean``, ``np.median``, ``worst_decile``.
        confidence: Of the interval.
    """
    models, tracks = values.shape
    if not values.size or not np.isfinite(values).all():
        return Interval(math.nan, math.nan, math.nan)
    estimate = float(statistic(values.reshape(-1), axis=-1))
    if tracks == 1:
        return Interval(estimate, math.nan, math.nan)
    rows = rng.integers(models, size=(RESAMPLES, models, 1))
    columns = rng.integers(tracks, size=(RESAMPLES, 1, tracks))
    size = max(1, BLOCK // values.size)
    blocks = [slice(start, start + size) for start in range(0, RESAMPLES, size)]
    drawn = (values[rows[block], columns[block]].reshape(-1, values.size) for block in blocks)
    samples = np.concatenate([statistic(sample, axis=-1) for sample in drawn])
    tail = (1 - confidence) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    return Interval(estimate, float(low), float(high))


def clustered_wilson(flags: FloatArray, confidence: float = CONFIDENCE) -> Interval:
    """A share with a Wilson interval of as many laps as the laps are worth.

    Laps of one model, and laps on one track, are alike, so that there is less to learn from them
    than from as many independent ones: their number is divided by the design effect, the variance
    of the share over that of independent laps. The variance is that of two crossed random effects
    by the method of moments, ``(MS_models + MS_tracks - MS_rest) / laps``. Where all laps went
    alike, nothing can be said of it, and the laps count as independent.

    Args:
        flags: 0 or 1, ``(models, tracks)``.
        confidence: Of the interval.
    """
    if not flags.size:
        return Interval(math.nan, math.nan, math.nan)
    share = float(flags.mean())
    laps = flags.size / design_effect(flags)
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    middle = (share + z**2 / (2 * laps)) / (1 + z**2 / laps)
    half = z / (1 + z**2 / laps) * math.sqrt(share * (1 - share) / laps + (z / (2 * laps)) ** 2)
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def design_effect(values: FloatArray) -> float:
    """Variance of the mean over that of as many independent values, at least 1.

    Args:
        values: ``(models, tracks)``.
    """
    models, tracks = values.shape
    total = float(values.var(ddof=1)) if values.size > 1 else 0.0
    if total == 0:
        return 1.0
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    of_rows = tracks * float(rows.var(ddof=1)) if models > 1 else 0.0
    of_columns = models * float(columns.var(ddof=1)) if tracks > 1 else 0.0
    rest = 0.0
    if models > 1 and tracks > 1:
        left = values - rows[:, None] - columns[None, :] + values.mean()
        rest = float((left**2).sum()) / ((models - 1) * (tracks - 1))
    return max(1.0, (of_rows + of_columns - rest) / total)
