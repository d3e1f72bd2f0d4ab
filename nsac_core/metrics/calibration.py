"""Whether stated probabilities come true."""

import math

import torch
from torch import Tensor

from nsac_core.methods.protocol import Prediction
from nsac_core.metrics.gaussian import gaussians, standardised


def calibration_curve(prediction: Prediction, y: Tensor) -> tuple[Tensor, Tensor]:
    """Share of the targets inside central intervals of growing level.

    Returns:
        The levels 0.05, 0.15, ... 0.95 and the coverage of each, ``(10,)`` in float64; a
        calibrated prediction has the one equal to the other.
    """
    confidence, _ = confidences(prediction, y)
    levels = (torch.arange(10, dtype=torch.float64, device=confidence.device) + 0.5) / 10
    if confidence.isnan().any():
        return levels, torch.full_like(levels, math.nan)
    return levels, (confidence[:, None] <= levels).double().mean(0)


def ece(prediction: Prediction, y: Tensor) -> float:
    """Expected calibration error: mean gap between level and coverage, in [0, 0.5].

    The levels are those of ``calibration_curve``.
    """
    levels, coverage = calibration_curve(prediction, y)
    return float((coverage - levels).abs().mean())


def ece_paper(prediction: Prediction, y: Tensor, bins: int = 10) -> float:
    """The paper's variant, which mixes z with confidence; for comparison only, in [0, 1].

    Per bin of confidence: its mean against the share of |z| below the middle of the bin, weighted
    by the share of the bin. It is not zero for a calibrated prediction.

    Raises:
        ValueError: If there is not at least one bin.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")
    confidence, z = confidences(prediction, y)
    if confidence.isnan().any():
        return math.nan
    number = (confidence * bins).long().clamp_max(bins - 1)
    total = 0.0
    for k in range(bins):
        inside = number == k
        if inside.any():
            below = (z[inside] < (k + 0.5) / bins).double().mean()
            gap = (confidence[inside].mean() - below).abs()
            total += float(gap * inside.double().mean())
    return total


def confidences(prediction: Prediction, y: Tensor) -> tuple[Tensor, Tensor]:
    """Level of the central interval that just reaches each target, and its |z|: both ``(n,)``."""
    mean, std, y = gaussians(prediction, y)
    z = standardised(y - mean, std).abs().flatten()
    return torch.erf(z / math.sqrt(2)), z
