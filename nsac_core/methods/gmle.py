"""A single Gaussian network, trained by maximum likelihood."""

from typing import Any

import torch
from torch import Tensor, nn

from nsac_core.methods.gaussian import gaussian_network, gaussian_nll
from nsac_core.methods.protocol import Method, Prediction, check_targets, floored_variance


class GMLE(Method):
    """Gaussian maximum likelihood (Nix and Weigend 1994) over the deterministic attention layer.

    It predicts the noise in the data and never doubts itself: the epistemic variance is 0.

    Args:
        encoder: From input to tokens ``(batch, time, token_dim)``.
        token_dim: Features of a token.
        output_dim: Number of predicted values.
        n_samples: Ignored, for nothing is drawn.
        layer: Options of the ``NAC`` layer.
    """

    def __init__(
        self,
        encoder: nn.Module,
        token_dim: int,
        output_dim: int,
        *,
        n_samples: int = 5,
        **layer: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(encoder, n_samples)
        self.network = gaussian_network(token_dim, output_dim, **layer)

    def predict_tokens(
        self,
        tokens: Tensor,
        n_samples: int | None = None,  # noqa: ARG002 - nothing is drawn
        generator: torch.Generator | None = None,  # noqa: ARG002
    ) -> Prediction:
        """The one Gaussian of each value."""
        mean, log_std = self.network(tokens)
        return Prediction.of_rows(mean, floored_variance(log_std), torch.zeros_like(mean))

    def loss(
        self,
        x: Tensor,
        y: Tensor,
        generator: torch.Generator | None = None,  # noqa: ARG002
    ) -> Tensor:
        """Mean negative log-likelihood."""
        mean, log_std = self.network(self.encode(x))
        check_targets(mean, y)
        loss = gaussian_nll(mean, floored_variance(log_std), y)
        self.loss_terms = {"nll": loss.detach()}
        return loss
