"""Inference latency: the time of one decision for the whole batch of cars."""

from typing import ClassVar

import numpy as np
import pandas as pd

from evaluation.metrics.base import Metric, Value, column, defined_where_finite, register


class Latency(Metric):
    """A percentile of the time of one forward pass, for the whole batch of cars."""

    unit = "ms"
    percentile: ClassVar[float]

    def compute(self, steps: pd.DataFrame) -> Value:
        """Percentile of ``latency_ms``, linearly interpolated."""
        return defined_where_finite(np.percentile(column(steps, "latency_ms"), self.percentile))


@register
class LatencyP50(Latency):
    """Median time of one forward pass, for the whole batch of cars."""

    name = "latency_p50_ms"
    label = "Latency, median"
    percentile = 50


@register
class LatencyP99(Latency):
    """99th percentile of the time of one forward pass, for the whole batch of cars."""

    name = "latency_p99_ms"
    label = "Latency, 99th percentile"
    percentile = 99
