"""Closed-loop evaluation: laps, metrics, statistics, figures and the report."""
