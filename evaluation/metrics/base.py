"""What a lap metric is: a name, a unit, a direction, and a value that says if it is defined."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

STEP_SECONDS = 1.0 / 50.0
"""CarRacing's step."""

Direction = Literal["higher", "lower", "neither"]
Kind = Literal["number", "share", "flag"]


@dataclass(frozen=True)
class Value:
    """The value of a metric on one lap.

    Attributes:
        value: The value; NaN where it is undefined. Flags are 0.0 or 1.0.
        valid: Whether the metric is defined on this lap.
    """

    value: float
    valid: bool = True


UNDEFINED = Value(math.nan, valid=False)
"""What a metric is on a lap on which it has no value."""


class Metric(ABC):
    """One number of one lap.

    Attributes:
        name: Column of ``laps.parquet``.
        label: How tables and axes call it.
        unit: Its unit, empty for pure numbers. A world unit is not a metre.
        better: Which direction is better; an undefined value counts as the worst.
        kind: ``number``, ``share`` (0 to 1) or ``flag`` (happened or not).
    """

    name: ClassVar[str]
    label: ClassVar[str]
    unit: ClassVar[str] = ""
    better: ClassVar[Direction] = "lower"
    kind: ClassVar[Kind] = "number"

    @abstractmethod
    def compute(self, steps: pd.DataFrame) -> Value:
        """The metric of one lap.

        Args:
            steps: The lap's rows of ``steps.parquet``, in order, at least one.
        """


class Flag(Metric):
    """Something good that happened on a lap or did not."""

    kind: ClassVar[Kind] = "flag"
    better: ClassVar[Direction] = "higher"

    @abstractmethod
    def happened(self, steps: pd.DataFrame) -> bool:
        """Whether it happened on the lap of these steps."""

    def compute(self, steps: pd.DataFrame) -> Value:
        """1 if it happened."""
        return Value(float(self.happened(steps)))


REGISTRY: dict[str, Metric] = {}
"""All metrics by name."""


def register(metric: type[Metric]) -> type[Metric]:
    """Adds a metric to the registry.

    Raises:
        ValueError: If there is one of that name.
    """
    if metric.name in REGISTRY:
        raise ValueError(f"two metrics are called {metric.name!r}")
    REGISTRY[metric.name] = metric()
    return metric


def column(steps: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """A column as float64, ``(steps,)``."""
    return steps[name].to_numpy(dtype=np.float64)


def defined_where_finite(value: float) -> Value:
    """A value that is undefined where it is not a finite number."""
    return Value(float(value)) if math.isfinite(value) else UNDEFINED
