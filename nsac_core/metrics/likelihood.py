"""Proper scores: in expectation only the true distribution is best."""

import math

import torch
from torch import Tensor

from nsac_core.methods.protocol import Prediction
from nsac_core.metrics.gaussian import gaussians, standardised


def nll(prediction: Prediction, y: Tensor) -> float:
    """Mean negative log density, in nats per value.

    NaN where a standard deviation is zero: a point mass has no density.
    """
    mean, std, y = gaussians(prediction, y)
    z = (y - mean) / std
    return float((0.5 * math.log(2 * math.pi) + std.log() + z.square() / 2).mean())


def crps(prediction: Prediction, y: Tensor) -> float:
    """Mean continuous ranked probability score, in units of the target.

    The integral over t of (F(t) - 1[y <= t])^2 in closed form (Gneiting and Raftery, 2007,
    equation 21). Where the standard deviation is zero it is the absolute error.
    """
    mean, std, y = gaussians(prediction, y)
    z = standardised(y - mean, std)
    density = torch.exp(-z.square() / 2) / math.sqrt(2 * math.pi)
    # The error rather than std * z, which would be 0 * inf for a certain prediction.
    score = (y - mean) * torch.erf(z / math.sqrt(2)) + std * (2 * density - 1 / math.sqrt(math.pi))
    return float(score.mean())
