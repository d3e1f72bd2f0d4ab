"""What a supervisor drove of a lap; nothing where there is none."""

from typing import ClassVar

import numpy as np
import pandas as pd

from evaluation.metrics.base import Direction, Kind, Metric, Value, register


@register
class TakeoverShare(Metric):
    """Share of the steps that a supervisor drove."""

    name = "takeover_share"
    label = "Driven by the supervisor"
    kind: ClassVar[Kind] = "share"
    better: ClassVar[Direction] = "lower"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Mean of ``taken_over``."""
        return Value(float(steps["taken_over"].mean()))


@register
class Takeovers(Metric):
    """How often a supervisor took over."""

    name = "takeovers"
    label = "Takeovers"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Number of stretches with ``taken_over``."""
        taken = steps["taken_over"].to_numpy(dtype=np.int64)
        return Value(float((np.diff(taken, prepend=0) == 1).sum()))
