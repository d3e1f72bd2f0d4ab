"""What the laps of each policy amount to, with intervals; failures stay in every denominator."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from evaluation.labels import CONDITION, label, labelled
from evaluation.metrics import REGISTRY, Metric
from evaluation.perturbations import CLEAN, Perturbed
from evaluation.statistics import Interval, bootstrap, paired, wilson, worst_decile
from maps.screen_table import ScreenTable

Condition = tuple[str, str, int]

HEADLINE = (
    *("completed", "success", "clean_lap", "return", "progress", "lap_time", "mean_speed"),
    *("lateral_rmse", "lateral_rmse_share", "lateral_max", "heading_rmse"),
    *("off_road_share", "all_wheels_off_road_share", "departures"),
    *("steering_change", "jerk_p95", "jerk_comfort_share"),
    *("lateral_acceleration_p95", "lateral_acceleration_comfort_share"),
    *("aleatoric_mean", "epistemic_mean", "latency_p50_ms", "latency_p99_ms"),
)
"""Metrics of the summary, in its order; ``laps.parquet`` holds all."""

SHORT = ("completed", "success", "clean_lap", "return", "lateral_rmse")
"""Metrics on the screen where there are many policies and perturbations."""

MOST_COLUMNS = 4
"""Policies and perturbations side by side on the screen."""

DIFFERENCES = ("return", "completed", "clean_lap", "lateral_rmse", "off_road_share")
"""Metrics whose paired differences are reported."""


def summarise(laps: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Statistics of each metric for each policy, clean and under each perturbation.

    A flag's mean has a Wilson interval, a number's a bootstrap interval. Where a metric is
    undefined on any lap, its mean, deviation and interval are NaN; its median and worst decile
    count that lap as worse than all others, and are NaN where they fall on it.

    Args:
        laps: As from ``drive_laps``.
        seed: Of the bootstrap.

    Returns:
        One row a policy, perturbation and metric: ``policy, perturbation, severity, metric, mean,
        low, high, std, median, worst_decile, defined, laps``.
    """
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {**_columns(condition), "metric": name, **_statistics(REGISTRY[name], own[name], rng)}
        for condition, own in _conditions(laps)
        for name in HEADLINE
    )


def differences(laps: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Paired differences, lap by lap: of the perturbed from the clean, of policies from the first.

    The policies are compared under the same perturbation.

    Returns:
        One row a pair and metric: ``policy, perturbation, severity, reference, metric, difference,
        low, high``; no row where there is nothing to compare.
    """
    rng = np.random.default_rng(seed)
    groups = dict(_conditions(laps))
    rows = []
    for one, reference in _pairs(list(groups)):
        row = {**_columns(one), "reference": label(reference[0], Perturbed(*reference[1:]))}
        for name in DIFFERENCES:
            gap = paired(groups[reference], groups[one], name, rng)
            interval = {"difference": gap.estimate, "low": gap.low, "high": gap.high}
            rows.append({**row, "metric": name, **interval})
    return pd.DataFrame(rows)


def screen_table(summary: pd.DataFrame) -> ScreenTable:
    """The summary for the terminal: metrics by policies, or a few metrics the other way round."""
    laps = int(summary["laps"].iloc[0])
    count = f"{laps} {'lap' if laps == 1 else 'laps'}"
    title = f"{count} a policy; mean [95 % interval], median, worst tenth"
    named = labelled(summary)
    policies = list(named["policy"].unique())
    many = len(policies) > MOST_COLUMNS
    names = [name for name in (SHORT if many else HEADLINE) if _is_defined(named, name)]
    titles = [_title(REGISTRY[name]) for name in names]
    cells = [[_cell(row) for row in _rows(named[named["metric"] == name])] for name in names]
    if many:
        rows = [list(own) for own in zip(policies, *cells, strict=True)]
        return ScreenTable(["policy", *titles], rows, title)
    rows = [[name, *own] for name, own in zip(titles, cells, strict=True)]
    return ScreenTable(["metric", *policies], rows, title)


def shown(value: float, metric: Metric) -> str:
    """A number as tables show it: shares in per cent, others with three digits or more."""
    if not math.isfinite(value):
        return "–"  # noqa: RUF001 - a dash, not a minus
    if metric.kind != "number":
        return f"{100 * value:.1f} %"
    if abs(value) >= 100:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 1 or value == 0 else f"{value:.3g}"


def _conditions(laps: pd.DataFrame) -> Iterable[tuple[Condition, pd.DataFrame]]:
    """The laps of each policy under each perturbation, in the order in which they appear."""
    for (policy, perturbation, severity), own in laps.groupby(CONDITION, sort=False):
        yield (str(policy), str(perturbation), int(str(severity))), own


def _columns(condition: Condition) -> dict[str, Any]:
    return dict(zip(CONDITION, condition, strict=True))


def _pairs(conditions: list[Condition]) -> Iterable[tuple[Condition, Condition]]:
    """Which groups are compared: all with the first policy, then the perturbed with the clean."""
    first = conditions[0][0]
    for condition in conditions:
        policy, perturbation, severity = condition
        reference = (first, perturbation, severity)
        if policy != first and reference in conditions:
            yield condition, reference
    for condition in conditions:
        clean = (condition[0], CLEAN.name, CLEAN.severity)
        if condition != clean and clean in conditions:
            yield condition, clean


def _is_defined(summary: pd.DataFrame, name: str) -> bool:
    return bool((summary.loc[summary["metric"] == name, "defined"] > 0).any())


def _title(metric: Metric) -> str:
    return f"{metric.label} ({metric.unit})" if metric.unit else metric.label


def _cell(row: dict[str, Any]) -> str:
    metric = REGISTRY[row["metric"]]
    if row["defined"] < row["laps"]:
        mean = f"undefined on {row['laps'] - row['defined']:.0f} of {row['laps']:.0f}"
    else:
        mean = f"{shown(row['mean'], metric)} [{shown(row['low'], metric)}, "
        mean += f"{shown(row['high'], metric)}]"
    if metric.kind == "flag":
        return mean
    return f"{mean}\n{shown(row['median'], metric)}, {shown(row['worst_decile'], metric)}"


def _rows(frame: pd.DataFrame) -> Iterable[dict[str, Any]]:
    return ({str(key): value for key, value in row.items()} for row in frame.to_dict("records"))


def _statistics(
    metric: Metric, column: "pd.Series[Any]", rng: np.random.Generator
) -> dict[str, Any]:
    values = column.to_numpy(dtype=np.float64)
    defined = np.isfinite(values)
    interval = _interval(metric, values, rng)
    sign = -1.0 if metric.better == "lower" else 1.0
    ranked = np.where(defined, sign * values, math.nan if metric.better == "neither" else -np.inf)
    return {
        "mean": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "std": float(values.std(ddof=1)) if len(values) > 1 and defined.all() else math.nan,
        "median": _finite(sign * float(np.median(ranked))),
        "worst_decile": math.nan
        if metric.better == "neither"
        else _finite(sign * float(worst_decile(ranked))),
        "defined": int(defined.sum()),
        "laps": len(values),
    }


def _interval(metric: Metric, values: np.ndarray[Any, Any], rng: np.random.Generator) -> Interval:
    if metric.kind == "flag":
        return wilson(int(values.sum()), len(values))
    return bootstrap(values, rng)


def _finite(value: float) -> float:
    return value + 0.0 if math.isfinite(value) else math.nan  # no negative zero
