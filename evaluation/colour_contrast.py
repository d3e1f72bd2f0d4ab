"""How success depends on the colours drawn: what of their contrast is left in a gray picture."""

from itertools import pairwise

import numpy as np
import pandas as pd

import maps
from drive.carracing.colours import ColourScheme
from evaluation.perturbations import Perturbed
from evaluation.statistics import wilson

GRAY = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue in OpenCV's gray."""
EDGES = (0.0, 8.0, 16.0, 32.0, 64.0, 256.0)


def gray_contrast(scheme: ColourScheme) -> float:
    """Distance of road and background in a gray picture, grey levels of 255."""
    return float(abs(np.dot(GRAY, np.subtract(scheme.road, scheme.background))))


def with_contrast(laps: pd.DataFrame) -> pd.DataFrame:
    """The laps that were recoloured, with a column ``gray_contrast``.

    The colours are drawn again: they follow from the lap's seed and map.

    Args:
        laps: As from ``drive_laps``; those whose perturbation changes no colours are left out.
    """
    keys = ["perturbation", "severity", "seed", "map"]
    drawn = {}
    for name, severity, seed, track in laps[keys].drop_duplicates().itertuples(index=False):
        lap = Perturbed(name, int(severity)).of_lap(int(seed), maps.load(track).name)
        scheme = lap.reset_options().get("colours")
        if scheme is not None:
            drawn[name, severity, seed, track] = gray_contrast(scheme)
    rows = zip(*(laps[key] for key in keys), strict=True)
    contrast = np.array([drawn.get(row, np.nan) for row in rows], dtype=np.float64)
    return laps.assign(gray_contrast=contrast)[np.isfinite(contrast)]


def success_by_contrast(
    laps: pd.DataFrame, edges: tuple[float, ...] = EDGES, outcome: str = "success"
) -> pd.DataFrame:
    """Share of successful laps for each range of contrast, with its Wilson interval.

    Args:
        laps: As from ``drive_laps``.
        edges: Of the ranges, rising; a range holds its lower edge.
        outcome: A flag: ``success``, ``completed``, ``clean_lap``.

    Returns:
        One row a policy, perturbation, severity and range that has laps: ``policy, perturbation,
        severity, from, to, laps, share, low, high``.
    """
    found = with_contrast(laps)
    rows = []
    condition = ["policy", "perturbation", "severity"]
    for keys, group in found.groupby(condition, sort=False):
        for low, high in pairwise(edges):
            own = group[group["gray_contrast"].between(low, high, inclusive="left")]
            if len(own):
                share = wilson(int(own[outcome].sum()), len(own))
                rows.append((*keys, low, high, len(own), share.estimate, share.low, share.high))
    columns = [*condition, "from", "to", "laps", "share", "low", "high"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values([*condition, "from"], ignore_index=True)
