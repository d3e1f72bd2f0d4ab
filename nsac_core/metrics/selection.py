"""What it gains to answer only where the prediction is most certain."""

import math

import torch
from torch import Tensor

from nsac_core.methods.protocol import Prediction
from nsac_core.metrics.gaussian import Part, gaussians, variance


def risk_coverage(prediction: Prediction, y: Tensor, by: Part = "total") -> tuple[Tensor, Tensor]:
    """Mean squared error of the most certain rows, for every share that could be kept.

    Rows are kept or refused whole, by their mean variance over the outputs. Rows of equal
    uncertainty count at their mean error, the expectation over their order: a method that states
    the same uncertainty everywhere has a level curve.

    Returns:
        The shares kept, ``1 / batch`` to 1, and the risk of each, ``(batch,)`` in float64.

    Raises:
        ValueError: If ``by`` is unknown.
    """
    mean, _, y = gaussians(prediction, y)
    error = (y - mean).square().mean(1)
    number = torch.arange(1, len(error) + 1, dtype=torch.float64, device=error.device)
    uncertainty = variance(prediction, by).mean(1)
    if uncertainty.isnan().any() or error.isnan().any():
        return number / len(error), torch.full_like(error, math.nan)
    _, group, count = torch.unique(uncertainty, return_inverse=True, return_counts=True)
    shared = torch.zeros(len(count), dtype=error.dtype, device=error.device)
    shared.index_add_(0, group, error)
    ordered = (shared / count).repeat_interleave(count)
    return number / len(error), ordered.cumsum(0) / number


def aurc(prediction: Prediction, y: Tensor, by: Part = "total") -> float:
    """Area under ``risk_coverage``: its mean risk, in squared units of the target.

    For a constant uncertainty it is the mean squared error; lower means that the refused rows were
    the wrong ones (Geifman and El-Yaniv, 2017).
    """
    _, risk = risk_coverage(prediction, y, by)
    return float(risk.mean())
