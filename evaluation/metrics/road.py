"""Staying on the road: shares of steps off it, and how often it was left."""

from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.metrics.base import Kind, Metric, Value, register

WHEELS = 4


def off_road(steps: pd.DataFrame) -> NDArray[np.bool_]:
    """Whether the car is off the road, with all four wheels, at each step ``(steps,)``."""
    return np.asarray(steps["wheels_off_road"].to_numpy() == WHEELS)


def departure_steps(steps: pd.DataFrame) -> NDArray[np.int64]:
    """Indices of the rows at which the car leaves the road: the last wheel does."""
    off = off_road(steps)
    before = np.concatenate([[False], off[:-1]])
    return np.flatnonzero(off & ~before)


class WheelsOffShare(Metric):
    """Share of the steps with some number of wheels off the road.

    Attributes:
        wheels: How many, or more.
    """

    kind: ClassVar[Kind] = "share"
    wheels: ClassVar[int]

    def compute(self, steps: pd.DataFrame) -> Value:
        """Mean of ``wheels_off_road >= wheels``."""
        return Value(float((steps["wheels_off_road"] >= self.wheels).mean()))


@register
class OffRoadShare(WheelsOffShare):
    """Share of the steps with at least one wheel off the road."""

    name = "off_road_share"
    label = "Off road, any wheel"
    wheels = 1


@register
class AllWheelsOffRoadShare(WheelsOffShare):
    """Share of the steps with all wheels off the road."""

    name = "all_wheels_off_road_share"
    label = "Off road, all wheels"
    wheels = WHEELS


@register
class Departures(Metric):
    """How often the car left the road: no wheel is on it any more, as racing's rules say."""

    name = "departures"
    label = "Departures"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Number of stretches with all four wheels off the road."""
        return Value(float(len(departure_steps(steps))))
