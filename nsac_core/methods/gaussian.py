"""What the methods with a Gaussian likelihood share."""

import math
from typing import Any

from torch import Tensor, nn

from nsac_core.attention import LOG_STD_RANGE
from nsac_core.circuit_attention import glorot_linear
from nsac_core.nac import NAC


class GaussianHead(nn.Module):
    """Two linear maps from features to the mean and the log standard deviation of a Gaussian."""

    def __init__(self, features: int, output_dim: int) -> None:
        super().__init__()
        self.mean = glorot_linear(features, output_dim)
        self.log_std = glorot_linear(features, output_dim)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log standard deviation (in [-10, 5]), float32 ``(..., out)``."""
        log_std = self.log_std(features).float().clamp(*LOG_STD_RANGE)
        return self.mean(features).float(), log_std


def attention_features(
    token_dim: int,
    model_dim: int = 64,
    **layer: Any,  # noqa: ANN401 - passed on
) -> NAC:
    """The deterministic attention layer under a head: ``model_dim`` features."""
    return NAC(token_dim, model_dim, model_dim=model_dim, **layer)


def gaussian_network(
    token_dim: int,
    output_dim: int,
    **layer: Any,  # noqa: ANN401 - passed on
) -> nn.Sequential:
    """The attention layer under a Gaussian head: from tokens to mean and log std."""
    attention = attention_features(token_dim, **layer)
    return nn.Sequential(attention, GaussianHead(attention.output_dim, output_dim))


def gaussian_nll(mean: Tensor, variance: Tensor, y: Tensor, beta: float = 0.0) -> Tensor:
    """Mean negative log-likelihood of ``y`` under Gaussians, a scalar.

    The likelihood teaches the mean least where the variance is large, so what is hard stays hard.
    ``beta`` weighs each value by its variance to that power (Seitzer et al. 2022, equation 5), here
    divided by the mean weight: 0 is the likelihood, 1 teaches the mean as the squared error does.
    """
    nll = 0.5 * (math.log(2 * math.pi) + variance.log() + (y - mean).square() / variance)
    if not beta:
        return nll.mean()
    weight = variance.detach() ** beta
    return (weight * nll).mean() / weight.mean()
