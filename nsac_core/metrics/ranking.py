"""Whether scores put things in the right order; only the order matters."""

import math

import torch
from torch import Tensor

from nsac_core.methods.protocol import Prediction
from nsac_core.metrics.gaussian import Part, gaussians, standardised, variance


def auroc(prediction: Prediction, y: Tensor) -> float:
    """How well the predicted probability of exceeding the median target ranks those that do.

    Mann-Whitney with ties counted half, in [0, 1]; 0.5 for a constant predictor, NaN where no
    target exceeds the median, as in a batch of one. Several outputs share one median.
    """
    mean, std, y = (part.flatten() for part in gaussians(prediction, y))
    ordered = y.sort().values
    median = (ordered[(len(y) - 1) // 2] + ordered[len(y) // 2]) / 2
    # In the order of the probability itself, which rounds to 1 beyond eight standard deviations.
    score = standardised(mean - median, std)
    return math.nan if y.isnan().any() else ranking_auroc(score, y > median)


def ood_auroc(inside: Prediction, outside: Prediction, by: Part = "epistemic") -> float:
    """Chance that a row from outside the training distribution is the less certain one.

    A row's uncertainty is its mean variance over the outputs; ties count half, so a method that
    states the same uncertainty everywhere has 0.5.

    Args:
        inside: Of inputs like those trained on, ``(batch, out)``.
        outside: Of other inputs, ``(another batch, out)``.
        by: The uncertainty that ranks them.

    Raises:
        ValueError: If the predictions differ in outputs or one is empty, or ``by`` is unknown.
    """
    shapes = tuple(inside.mean.shape), tuple(outside.mean.shape)
    if shapes[0][1] != shapes[1][1] or 0 in shapes[0] + shapes[1]:
        raise ValueError(f"both predictions need rows of the same outputs, got {shapes}")
    score = torch.cat([variance(each, by).mean(1) for each in (inside, outside)])
    return ranking_auroc(score, torch.arange(len(score), device=score.device) >= shapes[0][0])


def error_rank_correlation(prediction: Prediction, y: Tensor, by: Part = "total") -> float:
    """Spearman's correlation of the absolute error and the standard deviation, in [-1, 1].

    Over all values, ties at their mean rank; NaN where the errors or the deviations are all equal.
    """
    mean, _, y = gaussians(prediction, y)
    error = ranks((y - mean).abs().flatten())
    std = ranks(variance(prediction, by).flatten())
    error, std = error - error.mean(), std - std.mean()
    return float((error * std).sum() / (error.square().sum() * std.square().sum()).sqrt())


def ranking_auroc(score: Tensor, positive: Tensor) -> float:
    """Area under the ROC curve of ``score (n,)`` for the class ``positive (n,)``, ties half.

    NaN where one of the classes is empty or a score is NaN.
    """
    n_positive = int(positive.sum())
    pairs = n_positive * (positive.numel() - n_positive)
    if pairs == 0:
        return math.nan
    return (float(ranks(score)[positive].sum()) - n_positive * (n_positive + 1) / 2) / pairs


def ranks(values: Tensor) -> Tensor:
    """Ranks from 1 of ``values (n,)``, ties at their mean rank; all NaN if one value is."""
    if values.isnan().any():
        return torch.full_like(values, math.nan, dtype=torch.float64)
    _, inverse, count = torch.unique(values, return_inverse=True, return_counts=True)
    mean_rank: Tensor = count.cumsum(0).double() - (count - 1) / 2
    return mean_rank[inverse]
