"""Inference latency: the time of one decision for the whole batch of cars."""

import numpy as np
import pandas as pd

from evaluation.metrics.base import Metric, Value, column, defined_where_finite, register


@register
class LatencyP50(Metric):
    """Median time of one forward pass, for the whole batch of cars."""

    name = "latency_p50_ms"
    label = "Latency, median"
    unit = "ms"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Median of ``latency_ms``."""
        return defined_where_finite(float(np.median(column(steps, "latency_ms"))))


@register
class LatencyP99(Metric):
    """99th percentile of the time of one forward pass, for the whole batch of cars."""

    name = "latency_p99_ms"
    label = "Latency, 99th percentile"
    unit = "ms"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Percentile of ``latency_ms``."""
        return defined_where_finite(float(np.percentile(column(steps, "latency_ms"), 99)))
