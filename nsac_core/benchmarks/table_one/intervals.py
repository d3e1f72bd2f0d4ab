"""Means over seeds, how sure they are, and which methods may be as good as the best."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from nsac_core.benchmarks.sheets import Direction, Number

LEVEL = 0.95
"""Of all intervals."""


def half_width(values: NDArray[np.float64]) -> float:
    """Half the interval of a mean, by Student's t; 0 of a single value."""
    if len(values) < 2:
        return 0.0
    error = float(np.std(values, ddof=1)) / np.sqrt(len(values))
    return float(stats.t.ppf((1 + LEVEL) / 2, len(values) - 1) * error)


def number(values: pd.Series, digits: int = 4) -> Number:
    """Mean and half-width of its interval over seeds."""
    known = values.dropna().to_numpy(np.float64)
    return Number(float(known.mean()), half_width(known), digits) if len(known) else Number(np.nan)


def as_good_as_best(values: pd.DataFrame, direction: Direction) -> set[str]:
    """The method with the best mean, and those that may be as good.

    A method may be if the interval of its difference from the best, seed by seed, holds 0.

    Args:
        values: A row a seed, a column a method.
        direction: Whether low or high is good.
    """
    known = values.dropna(axis="columns", how="all")
    if known.shape[1] < 2:
        return set()
    means = known.mean()
    best = str(means.idxmin() if direction == "low" else means.idxmax())
    found = {best}
    for name in map(str, known.columns):
        apart = (known[name] - known[best]).dropna().to_numpy(np.float64)
        if len(apart) > 1 and abs(apart.mean()) <= half_width(apart):
            found.add(name)
    return found
