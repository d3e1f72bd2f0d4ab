"""Deep evidential regression: a distribution over Gaussians from one pass."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from nsac_core.circuit_attention import glorot_linear
from nsac_core.methods.gaussian import attention_features
from nsac_core.methods.protocol import VARIANCE_FLOOR, Method, Prediction, check_targets
from nsac_core.options import check_numbers

_EPSILON = 1e-4
"""Least nu and alpha - 1: large enough that ``alpha - 1`` keeps its digits in float32."""


@dataclass(frozen=True)
class NormalInverseGamma:
    """The evidence for one Gaussian per value; all float32 ``(batch, out)``.

    Attributes:
        gamma: Mean of the Gaussian's mean.
        nu: Virtual observations of the mean, > 0.
        alpha: Virtual observations of the variance, > 1.
        beta: Their sum of squares, > 0.
    """

    gamma: Tensor
    nu: Tensor
    alpha: Tensor
    beta: Tensor

    @classmethod
    def of(cls, raw: Tensor) -> "NormalInverseGamma":
        """From free numbers ``(batch, 4 out)``; the variance floor is part of beta."""
        gamma, nu, alpha, beta = raw.float().chunk(4, dim=-1)
        excess = softplus(alpha) + _EPSILON
        return cls(
            gamma, softplus(nu) + _EPSILON, 1 + excess, softplus(beta) + VARIANCE_FLOOR * excess
        )

    @property
    def prediction(self) -> Prediction:
        """Aleatoric ``beta / (alpha - 1)``, epistemic ``beta / (nu (alpha - 1))``."""
        aleatoric = self.beta / (self.alpha - 1)
        return Prediction.of_rows(self.gamma, aleatoric, aleatoric / self.nu)

    def nll(self, y: Tensor) -> Tensor:
        """Negative log-likelihood of each value under the marginal, ``(batch, out)``.

        The marginal is a Student-t distribution with ``2 alpha`` degrees of freedom, mean gamma
        and squared scale ``beta (1 + nu) / (nu alpha)``.
        """
        omega = 2 * self.beta * (1 + self.nu)
        return (
            0.5 * (math.log(math.pi) - self.nu.log())
            - self.alpha * omega.log()
            + (self.alpha + 0.5) * (self.nu * (y - self.gamma).square() + omega).log()
            + torch.lgamma(self.alpha)
            - torch.lgamma(self.alpha + 0.5)
        )


class Evidential(Method):
    """Deep evidential regression (Amini et al. 2020) over the deterministic attention layer.

    The loss is the Student-t likelihood plus ``evidence_penalty`` times ``|y - gamma| (2 nu +
    alpha)``, which wants little evidence where the error is large.

    Args:
        encoder: From input to tokens ``(batch, time, token_dim)``.
        token_dim: Features of a token.
        output_dim: Number of predicted values.
        n_samples: Ignored, for nothing is drawn.
        evidence_penalty: Weight lambda of the penalty; 0.01 is its inventors', 1 the published
            NSAC code's.
        layer: Options of the ``NAC`` layer.
    """

    def __init__(
        self,
        encoder: nn.Module,
        token_dim: int,
        output_dim: int,
        *,
        n_samples: int = 5,
        evidence_penalty: float = 0.01,
        **layer: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(encoder, n_samples)
        check_numbers(evidence_penalty=evidence_penalty)
        self.attention = attention_features(token_dim, **layer)
        self.head = glorot_linear(self.attention.output_dim, 4 * output_dim)
        self.evidence_penalty = evidence_penalty

    def evidence(self, tokens: Tensor) -> NormalInverseGamma:
        """The predicted evidence, from tokens ``(batch, time, feature)``."""
        return NormalInverseGamma.of(self.head(self.attention(tokens)))

    def student_t_nll(self, x: Tensor, y: Tensor) -> float:
        """Mean negative log-likelihood of the Student-t distribution it predicts for raw inputs.

        Raises:
            ValueError: If the targets do not have the shape of the predictions.
        """
        with torch.no_grad():
            evidence = self.evidence(self.encode(x))
            check_targets(evidence.gamma, y)
            return float(evidence.nll(y).mean())

    def predict_tokens(
        self,
        tokens: Tensor,
        n_samples: int | None = None,  # noqa: ARG002 - nothing is drawn
        generator: torch.Generator | None = None,  # noqa: ARG002
    ) -> Prediction:
        """The Gaussian with the moments of the evidence."""
        return self.evidence(tokens).prediction

    def loss(
        self,
        x: Tensor,
        y: Tensor,
        generator: torch.Generator | None = None,  # noqa: ARG002
    ) -> Tensor:
        """Student-t likelihood and penalty of evidence for what is wrong."""
        evidence = self.evidence(self.encode(x))
        check_targets(evidence.gamma, y)
        likelihood = evidence.nll(y).mean()
        penalty = ((y - evidence.gamma).abs() * (2 * evidence.nu + evidence.alpha)).mean()
        self.loss_terms = {"nll": likelihood.detach(), "penalty": penalty.detach()}
        return likelihood + self.evidence_penalty * penalty
