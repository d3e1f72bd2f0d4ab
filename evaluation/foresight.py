"""What the stated uncertainty was worth: does sigma foresee errors and departures?

Sigma is the total standard deviation of the steering, or one part of it. All laps of a policy are
pooled.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata, spearmanr

from evaluation.metrics.base import STEP_SECONDS, column
from evaluation.metrics.road import departure_steps, off_road
from evaluation.metrics.uncertainty import PARTS, total_sigma

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

HORIZON = 50
"""Steps of foresight: one second."""
ALARM_WINDOW = 100
"""Steps before a departure in which an alarm counts as its own: two seconds."""
ALARM_SHARE = 0.05
"""Share of the steps on the road on which the alarm sounds."""
CURVE_POINTS = 101


@dataclass(frozen=True)
class Foresight:
    """What one kind of sigma foresaw on the laps of a policy; NaN where undefined.

    Attributes:
        kind: ``total``, ``aleatoric`` or ``epistemic``.
        stated: Whether it is finite everywhere and varies; nothing else is defined otherwise.
        rank_correlation: Spearman's, of sigma with the largest |lateral error| of the next second.
        auroc: Of sigma for "leaves the road within 1 s", at steps on the road; 0.5 is chance.
        departures: Number of departures.
        warned_share: Share of the departures with an alarm in the 2 s before. The alarm sounds
            where sigma exceeds the 95 % quantile of these very laps' steps on the road.
        lead_time: Median time from the first such alarm to the departure, seconds; a departure
            without an alarm counts as 0.
        excess_risk: Area between the risk-coverage curve and the best one possible, as a share of
            that of a random order: 0 is perfect, 1 is chance.
        roc: False and true alarm rates, two ``(points,)``.
        risk_coverage: Coverage and the mean error of the steps kept, two ``(points,)``.
    """

    kind: str
    stated: bool
    rank_correlation: float
    auroc: float
    departures: int
    warned_share: float
    lead_time: float
    excess_risk: float
    roc: tuple[FloatArray, FloatArray]
    risk_coverage: tuple[FloatArray, FloatArray]


def foresight(steps: pd.DataFrame) -> list[Foresight]:
    """Rates the total sigma of the steering and each part of it.

    Args:
        steps: The steps of all laps of one policy, with the column ``lap``.
    """
    laps = [lap for _, lap in steps.groupby("lap", sort=False)]
    sigmas = {
        "total": [total_sigma(lap) for lap in laps],
        **{part: [column(lap, f"{part}_steer") for lap in laps] for part in PARTS},
    }
    return [_rate(kind, sigma, laps) for kind, sigma in sigmas.items()]


def auroc(score: FloatArray, positive: BoolArray) -> float:
    """Area under the ROC curve by rank sums, ties half; NaN where a class is missing.

    Args:
        score: ``(n,)``.
        positive: ``(n,)``.
    """
    n = int(positive.sum())
    pairs = n * (len(positive) - n)
    if not pairs:
        return math.nan
    return float((rankdata(score)[positive].sum() - n * (n + 1) / 2) / pairs)


def roc_curve(score: FloatArray, positive: BoolArray) -> tuple[FloatArray, FloatArray]:
    """False and true alarm rates from the strictest threshold to the laxest, two ``(points,)``."""
    order = np.argsort(-score, kind="stable")
    last_of_ties = np.append(np.diff(score[order]) != 0, True)
    hits = np.cumsum(positive[order])[last_of_ties]
    false = np.cumsum(~positive[order])[last_of_ties]
    return np.append(0, false / false[-1]), np.append(0, hits / hits[-1])


def risk_coverage(sigma: FloatArray, error: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean error of the steps kept where only the surest share is kept, two ``(n,)``.

    Args:
        sigma: ``(n,)``.
        error: Non-negative, ``(n,)``.
    """
    # Ties are kept or dropped together in the mean: each counts as the mean of its equals.
    _, group = np.unique(sigma, return_inverse=True)
    tied = np.bincount(group, weights=error) / np.bincount(group)
    order = np.argsort(group, kind="stable")
    count = np.arange(1, len(error) + 1)
    return count / len(error), np.cumsum(tied[group][order]) / count


def coming_error(lap: pd.DataFrame) -> FloatArray:
    """Largest |lateral error| of the next second at each step ``(steps,)``; NaN at the end."""
    error = np.abs(column(lap, "lateral_error"))
    coming = np.full(len(error), np.nan)
    if len(error) > HORIZON:
        windows = np.lib.stride_tricks.sliding_window_view(error[1:], HORIZON)
        coming[: len(windows)] = windows.max(axis=1)
    return coming


def leaves_soon(lap: pd.DataFrame) -> tuple[BoolArray, BoolArray]:
    """Whether the car leaves the road within the next second, and where that is known.

    Returns:
        Two ``(steps,)``. It is known at steps on the road; near the end of the episode only where
        the car does leave.
    """
    n = len(lap)
    leaves = np.zeros(n, dtype=bool)
    for step in departure_steps(lap):
        leaves[max(step - HORIZON, 0) : step] = True
    watched_to_the_end = np.arange(n) < n - HORIZON
    return leaves, ~off_road(lap) & (watched_to_the_end | leaves)


def alarm_level(sigma: list[FloatArray], laps: list[pd.DataFrame]) -> float:
    """What sigma exceeds on ``ALARM_SHARE`` of the steps on the road; infinite without any.

    Args:
        sigma: Of each lap.
        laps: Their steps.
    """
    pairs = zip(sigma, laps, strict=True)
    usual = np.concatenate([own[~off_road(lap)] for own, lap in pairs])
    return float(np.quantile(usual, 1 - ALARM_SHARE)) if len(usual) else math.inf


def lead_times(sigma: FloatArray, lap: pd.DataFrame, level: float) -> list[float]:
    """Seconds from the first alarm in the 2 s before each departure of a lap to it; 0 without one.

    Args:
        sigma: Of the lap, ``(steps,)``.
        lap: Its steps.
        level: Above which the alarm sounds, on the road.
    """
    alarm = (sigma > level) & ~off_road(lap)
    leads = []
    for step in departure_steps(lap):
        before = alarm[max(step - ALARM_WINDOW, 0) : step]
        leads.append((len(before) - before.argmax()) * STEP_SECONDS if before.any() else 0.0)
    return leads


def _rate(kind: str, sigma: list[FloatArray], laps: list[pd.DataFrame]) -> Foresight:
    score = np.concatenate(sigma)
    stated = bool(np.isfinite(score).all() and np.ptp(score) > 0)
    coming = np.concatenate([coming_error(lap) for lap in laps])
    leaves, known = (np.concatenate(p) for p in zip(*map(leaves_soon, laps), strict=True))
    known &= stated
    seen = np.isfinite(coming) & stated
    warned, lead = _alarms(sigma, laps) if stated else (math.nan, math.nan)
    curve = risk_coverage(score[seen], coming[seen])
    return Foresight(
        kind=kind,
        stated=stated,
        rank_correlation=_spearman(score[seen], coming[seen]),
        auroc=auroc(score[known], leaves[known]),
        departures=sum(len(departure_steps(lap)) for lap in laps),
        warned_share=warned,
        lead_time=lead,
        excess_risk=_excess_risk(score[seen], coming[seen]),
        roc=_thinned(roc_curve(score[known], leaves[known]))
        if 0 < leaves[known].sum() < known.sum()
        else (np.empty(0), np.empty(0)),
        risk_coverage=_thinned(curve),
    )


def _alarms(sigma: list[FloatArray], laps: list[pd.DataFrame]) -> tuple[float, float]:
    """Share of the departures that were warned of, and the median lead time in seconds."""
    level = alarm_level(sigma, laps)
    pairs = zip(sigma, laps, strict=True)
    leads = [lead for own, lap in pairs for lead in lead_times(own, lap, level)]
    if not leads:
        return math.nan, math.nan
    return float(np.mean(np.array(leads) > 0)), float(np.median(leads))


def _spearman(sigma: FloatArray, error: FloatArray) -> float:
    if len(sigma) < 2 or np.ptp(sigma) == 0 or np.ptp(error) == 0:
        return math.nan
    return float(spearmanr(sigma, error).statistic)


def _excess_risk(sigma: FloatArray, error: FloatArray) -> float:
    if not len(error) or np.ptp(error) == 0:
        return math.nan
    area = risk_coverage(sigma, error)[1].mean()
    best = risk_coverage(error, error)[1].mean()
    return float((area - best) / (error.mean() - best))


def _thinned(curve: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """At most a hundred points of a curve, evenly spaced along it."""
    x, y = curve
    index = np.unique(np.linspace(0, max(len(x) - 1, 0), CURVE_POINTS).astype(int))
    return (x[index], y[index]) if len(x) else curve
