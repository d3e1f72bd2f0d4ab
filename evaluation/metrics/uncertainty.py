"""The stated uncertainty of one lap; what it is worth over many laps is in `evaluation.foresight`.

All are undefined for a driver that states no uncertainty.
"""

from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.metrics.base import (
    UNDEFINED,
    Direction,
    Metric,
    Value,
    column,
    defined_where_finite,
    register,
)


def total_sigma(steps: pd.DataFrame, action: str = "steer") -> NDArray[np.float64]:
    """Total standard deviation of an action, aleatoric and epistemic, ``(steps,)``."""
    return np.asarray(np.hypot(*(column(steps, f"{part}_{action}") for part in PARTS)))


PARTS = ("aleatoric", "epistemic")


class MeanSigma(Metric):
    """Mean of one part of the uncertainty of the steering."""

    better: ClassVar[Direction] = "neither"
    part: ClassVar[str]

    def compute(self, steps: pd.DataFrame) -> Value:
        """Mean standard deviation."""
        if not total_sigma(steps).any():
            return UNDEFINED
        return defined_where_finite(float(column(steps, f"{self.part}_steer").mean()))


@register
class MeanAleatoric(MeanSigma):
    """Mean aleatoric standard deviation of the steering."""

    name = "aleatoric_mean"
    label = "Sigma of steering, aleatoric, mean"
    part = "aleatoric"


@register
class MeanEpistemic(MeanSigma):
    """Mean epistemic standard deviation of the steering."""

    name = "epistemic_mean"
    label = "Sigma of steering, epistemic, mean"
    part = "epistemic"
