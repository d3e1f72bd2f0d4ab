"""One row of metrics for each lap."""

from typing import Any

import pandas as pd

from evaluation.metrics.base import REGISTRY, Metric

IDENTITY = ["policy", "lap", "map", "seed", "renderer", "perturbation", "severity"]
"""Columns that say which lap a row belongs to."""


def lap_table(steps: pd.DataFrame) -> pd.DataFrame:
    """The laps of a frame of steps, in the order in which they appear.

    A metric that is undefined on a lap is NaN there, and named in the column ``undefined``.

    Args:
        steps: Rows as in ``steps.parquet``, the steps of a lap in order.

    Returns:
        One row a lap: its identity, ``half_width``, every registered metric, ``undefined``
        (names with commas between them).
    """
    laps = steps.groupby(IDENTITY, sort=False, observed=True)
    return pd.DataFrame([_row(lap) for _, lap in laps])


def _row(steps: pd.DataFrame) -> dict[str, Any]:
    first = steps.iloc[0]
    row: dict[str, Any] = {name: first[name] for name in [*IDENTITY, "half_width"]}
    undefined = []
    for name, metric in REGISTRY.items():
        value = metric.compute(steps)
        row[name] = _typed(metric, value.value)
        if not value.valid:
            undefined.append(name)
    return {**row, "undefined": ",".join(undefined)}


def _typed(metric: Metric, value: float) -> float | bool | int:
    if metric.kind == "flag":
        return bool(value)
    return int(value) if metric.name in ("steps", "departures", "takeovers") else value
