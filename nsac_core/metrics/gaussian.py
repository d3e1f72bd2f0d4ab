"""What every score reads: mean, standard deviation and target, checked and in float64."""

from typing import Literal, get_args

import torch
from torch import Tensor

from nsac_core.methods.protocol import Prediction, check_targets

Part = Literal["total", "aleatoric", "epistemic"]
"""Which uncertainty of a prediction is meant."""


def gaussians(prediction: Prediction, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Mean, total standard deviation and target in float64, each ``(batch, out)``.

    Raises:
        ValueError: If the targets do not have the shape of the prediction, or there are none.
    """
    check_targets(prediction.mean, y)
    if y.numel() == 0:
        raise ValueError(f"there must be targets to score, got the shape {tuple(y.shape)}")
    return prediction.mean.detach().double(), variance(prediction).sqrt(), y.detach().double()


def variance(prediction: Prediction, by: Part = "total") -> Tensor:
    """One part of the predictive variance in float64, ``(batch, out)``.

    Raises:
        ValueError: If ``by`` is not the name of a part.
    """
    if by not in get_args(Part):
        raise ValueError(f"by must be one of {', '.join(get_args(Part))}, got {by!r}")
    aleatoric, epistemic = prediction.aleatoric.detach(), prediction.epistemic.detach()
    if by == "total":
        return aleatoric.double() + epistemic.double()
    return (aleatoric if by == "aleatoric" else epistemic).double()


def standardised(difference: Tensor, std: Tensor) -> Tensor:
    """Differences in standard deviations, of the same shape.

    A certain prediction (``std`` 0) that is right is 0 standard deviations off, one that is wrong
    infinitely many.
    """
    right = (difference == 0) & (std == 0)
    return torch.where(right, torch.zeros_like(difference), difference / std)
