"""Smoothness: change of steering, jerk and lateral acceleration, with nuPlan's comfort bounds.

A world unit is not a metre. For nuPlan's bounds alone, lengths are scaled by the wheelbase: the
car's 3.24 units are taken for the 3.089 m of nuPlan's vehicle, so that one unit is 0.953 m.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.metrics.base import (
    STEP_SECONDS,
    UNDEFINED,
    Direction,
    Kind,
    Metric,
    Value,
    column,
    register,
)

METRES_PER_UNIT = 3.089 / 3.24
MAX_JERK = 8.37  # m/s^3, nuPlan: magnitude of the jerk
MAX_LATERAL_ACCELERATION = 4.89  # m/s^2, nuPlan
WINDOW = 15  # steps (0.3 s) of the cubic smoothing filter through which derivatives are taken


@dataclass(frozen=True)
class Kinematics:
    """Derivatives of the path, by a Savitzky-Golay filter as in nuPlan.

    Attributes:
        lateral_acceleration: Left positive, world units/s^2, ``(steps,)``.
        jerk: Magnitude, world units/s^3, ``(steps,)``.
    """

    lateral_acceleration: NDArray[np.float64]
    jerk: NDArray[np.float64]

    @classmethod
    def of(cls, steps: pd.DataFrame) -> "Kinematics | None":
        """The derivatives of a lap; None where it is shorter than the filter."""
        if len(steps) < WINDOW:
            return None
        from scipy.signal import savgol_filter  # noqa: PLC0415 - half a second, for driven laps

        path = np.column_stack([column(steps, "x"), column(steps, "y")])
        velocity, acceleration, jerk = (
            savgol_filter(path, WINDOW, 3, deriv=order, delta=STEP_SECONDS, axis=0)
            for order in (1, 2, 3)
        )
        speed = np.maximum(np.hypot(*velocity.T), 1e-6)
        across = velocity[:, 0] * acceleration[:, 1] - velocity[:, 1] * acceleration[:, 0]
        return cls(across / speed, np.hypot(*jerk.T))


class KinematicMetric(Metric):
    """A statistic of the path's derivatives; undefined on laps shorter than 0.3 s."""

    @abstractmethod
    def reduce(self, kinematics: Kinematics) -> float:
        """The statistic."""

    def compute(self, steps: pd.DataFrame) -> Value:
        """The statistic of the lap's derivatives."""
        kinematics = Kinematics.of(steps)
        return UNDEFINED if kinematics is None else Value(self.reduce(kinematics))


class ComfortShare(KinematicMetric):
    """Share of the steps within a bound of nuPlan's, lengths scaled by the wheelbase.

    Attributes:
        bound: Largest comfortable magnitude, in metres and seconds.
    """

    kind: ClassVar[Kind] = "share"
    better: ClassVar[Direction] = "higher"
    bound: ClassVar[float]

    @abstractmethod
    def magnitude(self, kinematics: Kinematics) -> NDArray[np.float64]:
        """What is bounded, >= 0, in world units and seconds, ``(steps,)``."""

    def reduce(self, kinematics: Kinematics) -> float:
        """Share of the steps."""
        return float((self.magnitude(kinematics) * METRES_PER_UNIT <= self.bound).mean())


@register
class SteeringChange(Metric):
    """Mean absolute change of the driven steering from step to step."""

    name = "steering_change"
    label = "Mean |Δ steer|"
    unit = "per step"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Mean of |steer(t) - steer(t - 1)|; undefined on a lap of one step."""
        if len(steps) < 2:
            return UNDEFINED
        return Value(float(np.abs(np.diff(column(steps, "action_steer"))).mean()))


@register
class JerkP95(KinematicMetric):
    """95th percentile of the magnitude of the jerk."""

    name = "jerk_p95"
    label = "Jerk, 95th percentile"
    unit = "units/s³"

    def reduce(self, kinematics: Kinematics) -> float:
        """Percentile."""
        return float(np.percentile(kinematics.jerk, 95))


@register
class JerkComfortShare(ComfortShare):
    """Share of the steps whose jerk is within nuPlan's 8.37 m/s^3, scaled by the wheelbase."""

    name = "jerk_comfort_share"
    label = "Jerk within nuPlan's bound"
    bound = MAX_JERK

    def magnitude(self, kinematics: Kinematics) -> NDArray[np.float64]:
        """Of the jerk."""
        return kinematics.jerk


@register
class LateralAccelerationP95(KinematicMetric):
    """95th percentile of the absolute lateral acceleration."""

    name = "lateral_acceleration_p95"
    label = "Lateral acceleration, 95th percentile"
    unit = "units/s²"
    better: ClassVar[Direction] = "neither"

    def reduce(self, kinematics: Kinematics) -> float:
        """Percentile."""
        return float(np.percentile(np.abs(kinematics.lateral_acceleration), 95))


@register
class LateralAccelerationComfortShare(ComfortShare):
    """Share of the steps within nuPlan's 4.89 m/s^2 of lateral acceleration, scaled likewise."""

    name = "lateral_acceleration_comfort_share"
    label = "Lateral acceleration within nuPlan's bound"
    bound = MAX_LATERAL_ACCELERATION

    def magnitude(self, kinematics: Kinematics) -> NDArray[np.float64]:
        """Of the lateral acceleration."""
        return np.abs(kinematics.lateral_acceleration)
