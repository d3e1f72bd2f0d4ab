"""What a drive of the stand-in, or one lap of it, amounts to."""

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from drive.udacity.simulator.supervision import autonomy
from evaluation.metrics import REGISTRY
from evaluation.metrics.base import Direction, Kind, Metric, Value, column

IDENTITY = ["policy", "track", "late_ms", "perturbation", "severity", "seed"]
"""Columns that say which drive a row belongs to."""


class Autonomy(Metric):
    """Share of the time in which the car needed nobody."""

    name = "autonomy"
    label = "Autonomy"
    kind: ClassVar[Kind] = "share"
    better: ClassVar[Direction] = "higher"

    def compute(self, steps: pd.DataFrame) -> Value:
        """From the columns ``interventions`` and ``seconds`` of each step."""
        interventions = int(column(steps, "interventions").sum())
        return Value(autonomy(interventions, float(column(steps, "seconds").sum())))


class Interventions(Metric):
    """How often the car was put back on the road."""

    name = "interventions"
    label = "Interventions"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Sum of ``interventions``."""
        return Value(float(column(steps, "interventions").sum()))


class Laps(Metric):
    """Laps driven, with whatever help."""

    name = "laps"
    label = "Laps"
    better: ClassVar[Direction] = "higher"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Difference of ``progress`` over the steps."""
        return Value(float(steps["progress"].iloc[-1] - steps["progress_before"].iloc[0]))


class InterventionsALap(Metric):
    """Interventions for each lap driven; what compares drives of several lengths."""

    name = "interventions_a_lap"
    label = "Interventions a lap"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Their number by the laps, of which at least a hundredth counts."""
        number = column(steps, "interventions").sum()
        return Value(float(number / max(Laps().compute(steps).value, 0.01)))


class Seconds(Metric):
    """Time driven."""

    name = "seconds"
    label = "Time"
    unit = "s"
    better: ClassVar[Direction] = "neither"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Sum of ``seconds``."""
        return Value(float(column(steps, "seconds").sum()))


MEASURES: dict[str, Metric] = {
    **{m.name: m for m in (Laps(), Seconds(), Autonomy(), Interventions(), InterventionsALap())},
    **{
        name: REGISTRY[name]
        for name in (
            *("lateral_rmse", "lateral_mean", "lateral_p95", "lateral_max", "heading_rmse"),
            *("mean_speed", "steering_change", "aleatoric_mean", "epistemic_mean"),
            *("latency_p50_ms", "latency_p99_ms"),
        )
    },
}
"""Of a drive or a lap by name; those of CarRacing's laps in metres and m/s here."""


def drive_table(steps: pd.DataFrame) -> pd.DataFrame:
    """One row a drive.

    Args:
        steps: Of any number of drives, those of each in order.
    """
    return _table(steps.groupby(IDENTITY, sort=False, observed=True), IDENTITY)


def lap_table(steps: pd.DataFrame) -> pd.DataFrame:
    """One row a lap begun, ``lap`` from 0; the last of a drive that ran out of time is not whole.

    Args:
        steps: Of any number of drives, those of each in order.
    """
    numbered = steps.assign(lap=lap_numbers(steps))
    keys = [*IDENTITY, "lap"]
    return _table(numbered.groupby(keys, sort=False, observed=True), keys)


def lap_numbers(steps: pd.DataFrame) -> "pd.Series[Any]":
    """Which lap each step belongs to: the one that it began in."""
    lap = np.floor(column(steps, "progress_before")).astype(np.int64)
    return pd.Series(np.maximum(lap, 0), index=steps.index)


def _table(groups: Iterable[tuple[Any, pd.DataFrame]], keys: list[str]) -> pd.DataFrame:
    rows = []
    for key, own in groups:
        values = {name: metric.compute(own).value for name, metric in MEASURES.items()}
        rows.append({**dict(zip(keys, key, strict=True)), **values})
    return pd.DataFrame(rows)


def under_change(drives: pd.DataFrame, name: str) -> pd.DataFrame:
    """The drives that a table or figure of changes compares, of the policies that drove any.

    Args:
        drives: As from `drive_table`.
        name: ``late_ms`` or ``severity``: what was changed.

    Returns:
        Those with only that changed, or nothing.
    """
    other = "severity" if name == "late_ms" else "late_ms"
    own = drives[drives[other] == 0]
    changed = own.loc[own[name] > 0, ["policy", "track"]].drop_duplicates()
    return own.merge(changed, on=["policy", "track"])
