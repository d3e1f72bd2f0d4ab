"""What laps may be asked for: who draws, how long, how many."""

from typing import Literal

from evaluation.errors import EvaluationError

Renderer = Literal["exact", "fast", "none"]
MAX_STEPS = 1000
"""Gymnasium's limit of an episode."""


def check_positive(name: str, number: int) -> None:
    """Refuses a count below one.

    Raises:
        EvaluationError: It is.
    """
    if number < 1:
        raise EvaluationError(f"{name} is {number}, expected 1 or more")
