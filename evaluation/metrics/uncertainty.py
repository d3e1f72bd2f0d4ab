"""What the stated uncertainty of the steering was worth on the lap.

``sigma`` is the total standard deviation of the steering. All are undefined for a driver that
states none.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, spearmanr

from evaluation.lap import FPS, FloatArray, Lap
from evaluation.metrics.base import UNDEFINED, Value, metric

HORIZON = FPS
"""Steps ahead within which a departure is to be foreseen: one second."""
ALARM_QUANTILE = 0.95
"""Share of a lap's steps on the road whose sigma stays below the alarm."""


@metric("sigma_error_correlation", "rank correlation of sigma with lateral error 1 s later")
def sigma_error_correlation(lap: Lap) -> Value:
    """Spearman's, -1 to 1."""
    sigma = total_sigma(lap)
    later = np.abs(lap.column("lateral_error"))[HORIZON:]
    now = sigma[: len(later)]
    if len(later) < 2 or np.ptp(now) == 0 or np.ptp(later) == 0:
        return UNDEFINED
    return Value(float(spearmanr(now, later).statistic))


@metric("departure_auroc", "AUROC of sigma for leaving the road within 1 s", better="high")
def departure_auroc(lap: Lap) -> Value:
    """Undefined on a lap without a departure."""
    sigma, leaves = departure_forecast(lap)
    if not len(sigma) or np.ptp(sigma) == 0:
        return UNDEFINED
    return auroc(sigma, leaves)


@metric("alarm_lead_time", "mean time from the alarm to the departure", "s", "high")
def alarm_lead_time(lap: Lap) -> Value:
    """0 for a departure without an alarm in the second before it.

    The alarm sounds where sigma exceeds the 95 % quantile of the lap's steps on the road.
    """
    sigma = total_sigma(lap)
    on_road = ~lap.off_road
    if not len(lap.departures) or not on_road.any() or np.ptp(sigma) == 0:
        return UNDEFINED
    alarm = sigma > np.quantile(sigma[on_road], ALARM_QUANTILE)
    leads = []
    for step in lap.departures:
        before = np.flatnonzero(alarm[max(step - HORIZON, 0) : step])
        leads.append((min(step, HORIZON) - before[0]) / FPS if len(before) else 0.0)
    return Value(float(np.mean(leads)))


def total_sigma(lap: Lap) -> FloatArray:
    """Total standard deviation of the steering, ``(steps,)``."""
    return np.asarray(np.hypot(lap.column("aleatoric_steer"), lap.column("epistemic_steer")))


def departure_forecast(lap: Lap, column: str | None = None) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Sigma (or a column) at each step on the road, and whether a departure follows in 1 s."""
    sigma = total_sigma(lap) if column is None else lap.column(column)
    leaves = np.zeros(len(sigma), dtype=np.bool_)
    for step in lap.departures:
        leaves[max(step - HORIZON, 0) : step] = True
    on_road = ~lap.off_road
    return sigma[on_road], leaves[on_road]


def auroc(score: FloatArray, label: NDArray[np.bool_]) -> Value:
    """Area under the ROC curve by rank sums, ties 1/2; undefined with one class only."""
    positives = int(label.sum())
    negatives = len(label) - positives
    if not positives or not negatives:
        return UNDEFINED
    ranks = rankdata(score)
    area = (ranks[label].sum() - positives * (positives + 1) / 2) / (positives * negatives)
    return Value(float(area))


def risk_coverage(error: FloatArray, sigma: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean error of the steps kept when only the surest share is kept.

    Args:
        error: Non-negative, ``(n,)``.
        sigma: ``(n,)``.

    Returns:
        Coverage, 1/n to 1, and risk, both ``(n,)``.
    """
    order = np.argsort(sigma, kind="stable")
    count = np.arange(1, len(error) + 1)
    return count / len(error), np.cumsum(error[order]) / count
