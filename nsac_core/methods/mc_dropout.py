"""Dropout that stays on at prediction."""

from typing import Any

import torch
from torch import Tensor, nn

from nsac_core.methods.gaussian import GaussianHead, attention_features, gaussian_nll
from nsac_core.methods.protocol import Method, Prediction, check_targets, floored_variance
from nsac_core.options import check_counts


class MCDropout(Method):
    """Monte Carlo dropout (Gal and Ghahramani 2016) between attention layer and Gaussian head.

    Each pass of a prediction leaves out other features; the spread of the passes is the epistemic
    uncertainty. Training makes one pass.

    Args:
        encoder: From input to tokens ``(batch, time, token_dim)``.
        token_dim: Features of a token.
        output_dim: Number of predicted values.
        n_samples: Passes in prediction.
        dropout: Probability that a feature is left out, in [0, 1).
        layer: Options of the ``NAC`` layer.

    Raises:
        ValueError: If the probability lies outside its range.
    """

    def __init__(
        self,
        encoder: nn.Module,
        token_dim: int,
        output_dim: int,
        *,
        n_samples: int = 5,
        dropout: float = 0.1,
        **layer: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(encoder, n_samples)
        if not (isinstance(dropout, int | float) and 0 <= dropout < 1):
            raise ValueError(f"dropout must lie in [0, 1), got {dropout!r}")
        self.attention = attention_features(token_dim, **layer)
        self.head = GaussianHead(self.attention.output_dim, output_dim)
        self.dropout = dropout

    def predict_tokens(
        self,
        tokens: Tensor,
        n_samples: int | None = None,
        generator: torch.Generator | None = None,
    ) -> Prediction:
        """Moments over ``n_samples`` passes of the head; the attention layer runs once."""
        samples = self.n_samples if n_samples is None else n_samples
        return Prediction.from_samples(*self._passes(tokens, samples, generator))

    def loss(self, x: Tensor, y: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Mean negative log-likelihood of one pass."""
        mean, log_std = (part[0] for part in self._passes(self.encode(x), 1, generator))
        check_targets(mean, y)
        loss = gaussian_nll(mean, floored_variance(log_std), y)
        self.loss_terms = {"nll": loss.detach()}
        return loss

    def _passes(
        self, tokens: Tensor, samples: int, generator: torch.Generator | None
    ) -> tuple[Tensor, Tensor]:
        """Mean and log standard deviation of each pass, ``(samples, batch, out)``."""
        check_counts(n_samples=samples)
        features: Tensor = self.attention(tokens)
        kept = torch.empty(samples, *features.shape, device=features.device)
        kept.bernoulli_(1 - self.dropout, generator=generator)
        mean, log_std = self.head(features * kept.to(features.dtype) / (1 - self.dropout))
        return mean, log_std
