"""How a lap ended: completed, cleanly, with what return."""

from typing import ClassVar

import numpy as np
import pandas as pd

from evaluation.metrics.base import Direction, Flag, Metric, Value, column, register
from evaluation.metrics.road import departure_steps

SUCCESS_RETURN = 860.0
"""The paper's code counts an episode of at least this return as a success."""


@register
class Completed(Flag):
    """Whether the lap was completed: a whole lap of progress over at least 95 % of the tiles."""

    name = "completed"
    label = "Lap completed"

    def happened(self, steps: pd.DataFrame) -> bool:
        """Whether the world called the lap complete at any step."""
        return bool(steps["lap_complete"].any())


@register
class Success(Flag):
    """Whether the return reached 860, the paper's success."""

    name = "success"
    label = "Success (return ≥ 860)"

    def happened(self, steps: pd.DataFrame) -> bool:
        """Whether the sum of the rewards is at least 860."""
        return total_reward(steps) >= SUCCESS_RETURN


@register
class CleanLap(Flag):
    """Whether the lap was completed without leaving the road on the way."""

    name = "clean_lap"
    label = "Clean lap"

    def happened(self, steps: pd.DataFrame) -> bool:
        """Whether the lap is complete and no departure began before it was."""
        complete = steps["lap_complete"].to_numpy(dtype=bool)
        return bool(complete.any() and not (departure_steps(steps) <= complete.argmax()).any())


@register
class Return(Metric):
    """Sum of the rewards of the episode."""

    name = "return"
    label = "Return"
    better: ClassVar[Direction] = "higher"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Sum of the column ``reward``."""
        return Value(total_reward(steps))


@register
class Progress(Metric):
    """Laps driven when the episode ended; 1.0 is one lap, negative is backwards."""

    name = "progress"
    label = "Progress"
    unit = "laps"
    better: ClassVar[Direction] = "higher"

    def compute(self, steps: pd.DataFrame) -> Value:
        """The last value of the column ``progress``."""
        return Value(float(steps["progress"].iloc[-1]))


@register
class Steps(Metric):
    """Steps of the episode, of 1/50 s each."""

    name = "steps"
    label = "Steps"
    better: ClassVar[Direction] = "neither"

    def compute(self, steps: pd.DataFrame) -> Value:
        """Number of rows."""
        return Value(float(len(steps)))


def total_reward(steps: pd.DataFrame) -> float:
    """Return of a lap."""
    return float(np.sum(column(steps, "reward")))
