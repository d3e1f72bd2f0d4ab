"""Runs and studies side by side: tables, figures and one page, of the laps they have in common."""

from evaluation.side_by_side.compare import CompareConfig, Comparison, compare_runs

__all__ = ["CompareConfig", "Comparison", "compare_runs"]
