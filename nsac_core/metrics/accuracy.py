"""Errors of the predicted mean; they ignore the uncertainty."""

from torch import Tensor

from nsac_core.methods.protocol import Prediction
from nsac_core.metrics.gaussian import gaussians


def mse(prediction: Prediction, y: Tensor) -> float:
    """Mean squared error, in squared units of the target."""
    mean, _, y = gaussians(prediction, y)
    return float((y - mean).square().mean())


def mae(prediction: Prediction, y: Tensor) -> float:
    """Mean absolute error, in units of the target."""
    mean, _, y = gaussians(prediction, y)
    return float((y - mean).abs().mean())
