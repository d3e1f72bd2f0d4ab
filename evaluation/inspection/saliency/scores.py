"""Where the mass of saliency lies."""

import numpy as np
from numpy.typing import NDArray

from drive.carracing.regions import Region, Regions
from evaluation.inspection.saliency.lens import Maps

FloatArray = NDArray[np.float64]


def shares(maps: Maps | NDArray[np.uint8], regions: Regions) -> FloatArray:
    """Share of each map's mass in each region, ``(n, 6)``; NaN where a map is zero everywhere.

    Args:
        maps: ``(n, rows, columns)``.
        regions: Likewise, values of ``Region``.
    """
    mass = maps.astype(np.float64)
    by_region = np.stack([(mass * (regions == region)).sum(axis=(1, 2)) for region in Region], 1)
    total = by_region.sum(axis=1, keepdims=True)
    share = np.full_like(by_region, np.nan)
    np.divide(by_region, total, out=share, where=total > 0)
    return share


def areas(regions: Regions) -> FloatArray:
    """Share of each region in the picture, ``(n, 6)``: what saliency without aim would get."""
    return np.stack([(regions == region).mean(axis=(1, 2)) for region in Region], axis=1)
