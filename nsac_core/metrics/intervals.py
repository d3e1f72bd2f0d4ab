"""Central prediction intervals: how often they hold and how wide they are."""

import math
from statistics import NormalDist

from torch import Tensor

from nsac_core.methods.protocol import Prediction
from nsac_core.metrics.gaussian import gaussians, standardised


def interval_coverage(prediction: Prediction, y: Tensor, level: float = 0.9) -> float:
    """Share of the targets inside the central interval of a level, in [0, 1]; its edges count.

    Raises:
        ValueError: If the level is not between 0 and 1.
    """
    mean, std, y = gaussians(prediction, y)
    reach = half_width(level)
    z = standardised(y - mean, std).abs()
    return math.nan if z.isnan().any() else float((z <= reach).double().mean())


def interval_width(prediction: Prediction, y: Tensor, level: float = 0.9) -> float:
    """Mean width of the central interval of a level, in units of the target.

    Raises:
        ValueError: If the level is not between 0 and 1.
    """
    return 2 * half_width(level) * sharpness(prediction, y)


def sharpness(prediction: Prediction, y: Tensor) -> float:
    """Mean predictive standard deviation, in units of the target, which it does not look at."""
    _, std, _ = gaussians(prediction, y)
    return float(std.mean())


def half_width(level: float) -> float:
    """Half the width of the central interval of a level, in standard deviations."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    return NormalDist().inv_cdf((1 + level) / 2)
