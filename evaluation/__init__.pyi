from .closed_loop import drive_laps
from .errors import EvaluationError

__all__ = [
    "EvaluationError",
    "drive_laps",
]
