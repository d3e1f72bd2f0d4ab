"""Closed-loop evaluation: laps, metrics, statistics, figures and the report."""

from evaluation.closed_loop import drive_laps
from evaluation.errors import EvaluationError

__all__ = ["EvaluationError", "drive_laps"]
