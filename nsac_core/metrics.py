"""Scores of a prediction against targets; every one reads the same Gaussian.

All take a ``Prediction`` and targets ``(batch, out)``, refuse any other shape, work in float64 and
return a float. The predictive standard deviation is the total one, aleatoric plus epistemic.
"""

import math

import torch
from torch import Tensor

from nsac_core.methods.protocol import Prediction, check_targets


def mse(prediction: Prediction, y: Tensor) -> float:
    """Mean squared error."""
    mean, _, y = _gaussians(prediction, y)
    return float((y - mean).square().mean())


def mae(prediction: Prediction, y: Tensor) -> float:
    """Mean absolute error."""
    mean, _, y = _gaussians(prediction, y)
    return float((y - mean).abs().mean())


def nll(prediction: Prediction, y: Tensor) -> float:
    """Mean negative log density."""
    mean, std, y = _gaussians(prediction, y)
    z = (y - mean) / std
    return float((0.5 * math.log(2 * math.pi) + std.log() + z.square() / 2).mean())


def crps(prediction: Prediction, y: Tensor) -> float:
    """Mean continuous ranked probability score, in units of the target."""
    mean, std, y = _gaussians(prediction, y)
    z = (y - mean) / std
    density = torch.exp(-z.square() / 2) / math.sqrt(2 * math.pi)
    score = z * (2 * torch.special.ndtr(z) - 1) + 2 * density - 1 / math.sqrt(math.pi)
    return float((std * score).mean())


def ece(prediction: Prediction, y: Tensor) -> float:
    """Mean gap between the level and the coverage of central intervals at 5 %, 15 %, ... 95 %."""
    confidence, _ = _confidence(prediction, y)
    levels = torch.arange(0.05, 1.0, 0.1, dtype=torch.float64, device=confidence.device)
    coverage = (confidence[:, None] <= levels).double().mean(0)
    return float((coverage - levels).abs().mean())


def ece_paper(prediction: Prediction, y: Tensor, bins: int = 10) -> float:
    """The paper's variant, which mixes z with confidence; for comparison only.

    Per bin of confidence: its mean against the share of |z| below the middle of the bin, weighted
    by the share of the bin.
    """
    confidence, z = _confidence(prediction, y)
    number = (confidence * bins).long().clamp_max(bins - 1)
    total = 0.0
    for k in range(bins):
        inside = number == k
        if inside.any():
            below = (z[inside] < (k + 0.5) / bins).double().mean()
            gap = (confidence[inside].mean() - below).abs()
            total += float(gap * inside.double().mean())
    return total


def auroc(prediction: Prediction, y: Tensor) -> float:
    """How well the predicted probability of exceeding the median target ranks those that do.

    Mann-Whitney with ties counted half; 0.5 for a constant predictor, NaN where no target exceeds
    the median.
    """
    mean, std, y = (part.flatten() for part in _gaussians(prediction, y))
    # numpy's median: torch's takes the lower middle of an even count.
    median = y.quantile(0.5) if y.numel() <= 2**24 else y.sort().values[y.numel() // 2]
    return ranking_auroc(torch.special.ndtr((mean - median) / std), y > median)


def ranking_auroc(score: Tensor, positive: Tensor) -> float:
    """Area under the ROC curve of ``score (n,)`` for the class ``positive (n,)``, ties half."""
    _, inverse, count = torch.unique(score, return_inverse=True, return_counts=True)
    last = count.cumsum(0).double()
    rank = (last - (count - 1) / 2)[inverse]
    n_positive = int(positive.sum())
    pairs = n_positive * (positive.numel() - n_positive)
    if pairs == 0:
        return math.nan
    above = float(rank[positive].sum()) - n_positive * (n_positive + 1) / 2
    return above / pairs


def _gaussians(prediction: Prediction, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Mean, standard deviation and target in float64, each ``(batch, out)``."""
    check_targets(prediction.mean, y)
    mean, variance = prediction.mean.detach().double(), prediction.variance.detach().double()
    return mean, variance.sqrt(), y.detach().double()


def _confidence(prediction: Prediction, y: Tensor) -> tuple[Tensor, Tensor]:
    """Level of the central interval that just reaches each target, and |z|: both ``(n,)``."""
    mean, std, y = _gaussians(prediction, y)
    z = ((y - mean) / std).abs().flatten()
    return 2 * torch.special.ndtr(z) - 1, z
