"""Means over seeds, and how sure they are."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from nsac_core.benchmarks.sheets import Number

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
