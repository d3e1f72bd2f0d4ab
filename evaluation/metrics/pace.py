"""How fast a lap was."""

from typing import ClassVar

import pandas as pd

from evaluation.metrics.base import (
    STEP_SECONDS,
    UNDEFINED,
    Direction,
    Metric,
    Value,
    column,
    register,
)


@register
class LapTime(Metric):
    """Time until the lap was complete; undefined where it never was."""

    name = "lap_time"
    label = "Lap time"
    unit = "s"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Steps up to and including the first complete one, times 1/50 s."""
        complete = steps["lap_complete"].to_numpy(dtype=bool)
        if not complete.any():
            return UNDEFINED
        return Value(float(complete.argmax() + 1) * STEP_SECONDS)


@register
class MeanSpeed(Metric):
    """Mean speed of the episode, on the road or off it."""

    name = "mean_speed"
    label = "Mean speed"
    unit = "units/s"
    better: ClassVar[Direction] = "neither"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Mean of the column ``speed``."""
        return Value(float(column(steps, "speed").mean()))
