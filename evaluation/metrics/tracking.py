"""Keeping to the centre line: lateral error in world units and as a share of the half-width."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.metrics.base import Metric, Value, column, register


class LateralMetric(Metric):
    """A statistic of |lateral error| over the episode."""

    unit = "units"
    relative: ClassVar[bool] = False

    @abstractmethod
    def reduce(self, error: NDArray[np.float64]) -> float:
        """The statistic of absolute errors ``(steps,)``."""

    def compute(self, steps: pd.DataFrame) -> Value:
        """The statistic, divided by the half-width where ``relative``."""
        error = np.abs(column(steps, "lateral_error"))
        if self.relative:
            error = error / column(steps, "half_width")
        return Value(self.reduce(error))


@register
class LateralRmse(LateralMetric):
    """Root mean square of the lateral error."""

    name = "lateral_rmse"
    label = "Lateral error, RMS"

    def reduce(self, error: NDArray[np.float64]) -> float:
        """Root of the mean square."""
        return float(np.sqrt(np.mean(error**2)))


@register
class LateralMean(LateralMetric):
    """Mean of the absolute lateral error."""

    name = "lateral_mean"
    label = "Lateral error, mean"

    def reduce(self, error: NDArray[np.float64]) -> float:
        """Mean."""
        return float(np.mean(error))


@register
class LateralP95(LateralMetric):
    """95th percentile of the absolute lateral error."""

    name = "lateral_p95"
    label = "Lateral error, 95th percentile"

    def reduce(self, error: NDArray[np.float64]) -> float:
        """Percentile, linearly interpolated."""
        return float(np.percentile(error, 95))


@register
class LateralMax(LateralMetric):
    """Largest absolute lateral error."""

    name = "lateral_max"
    label = "Lateral error, largest"

    def reduce(self, error: NDArray[np.float64]) -> float:
        """Maximum."""
        return float(np.max(error))


@register
class LateralRmseShare(LateralRmse):
    """Root mean square of the lateral error as a share of the half-width."""

    name = "lateral_rmse_share"
    label = "Lateral error, RMS / half-width"
    unit = ""
    relative = True


@register
class LateralMeanShare(LateralMean):
    """Mean of the absolute lateral error as a share of the half-width."""

    name = "lateral_mean_share"
    label = "Lateral error, mean / half-width"
    unit = ""
    relative = True


@register
class LateralP95Share(LateralP95):
    """95th percentile of the absolute lateral error as a share of the half-width."""

    name = "lateral_p95_share"
    label = "Lateral error, 95th percentile / half-width"
    unit = ""
    relative = True


@register
class LateralMaxShare(LateralMax):
    """Largest absolute lateral error as a share of the half-width."""

    name = "lateral_max_share"
    label = "Lateral error, largest / half-width"
    unit = ""
    relative = True


@register
class HeadingRmse(Metric):
    """Root mean square of the heading error."""

    name = "heading_rmse"
    label = "Heading error, RMS"
    unit = "rad"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Root of the mean square of ``heading_error``, car minus road in [-pi, pi)."""
        return Value(float(np.sqrt(np.mean(column(steps, "heading_error") ** 2))))
