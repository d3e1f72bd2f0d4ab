"""Tables as sequences: how a row of features becomes tokens that attention can read."""

import torch
from torch import Tensor, nn

from nsac_core.benchmarks.config import Tokens


class EmbeddedTokens(nn.Module):
    """One token a feature, ``value * weight + bias`` with vectors of the feature's own.

    The feature tokeniser of Gorishniy et al. (2021): what a feature is need not be learned from a
    number that differs little from its neighbour's.

    Args:
        n_features: Features of a row.
        token_dim: Width of a token.
    """

    def __init__(self, n_features: int, token_dim: int = 64) -> None:
        super().__init__()
        self.token_dim, self.n_tokens = token_dim, n_features
        self.weight = nn.Parameter(torch.empty(n_features, token_dim))
        self.bias = nn.Parameter(torch.empty(n_features, token_dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the vectors as those of a linear map of one input, uniform in [-1, 1]."""
        nn.init.uniform_(self.weight, -1, 1)
        nn.init.uniform_(self.bias, -1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, features)`` to ``(batch, features, token_dim)``."""
        return x.unsqueeze(-1) * self.weight + self.bias


class FeatureTokens(nn.Module):
    """One token a feature, ``[value, index / features]``.

    A row as one token would leave attention a single key, and so no noise: its epistemic variance
    would be 0 by construction.

    Args:
        n_features: Features of a row.
    """

    token_dim = 2

    def __init__(self, n_features: int) -> None:
        super().__init__()
        self.n_tokens = n_features

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, features)`` to ``(batch, features, 2)``."""
        place = torch.arange(self.n_tokens, device=x.device, dtype=x.dtype) / self.n_tokens
        return torch.stack([x, place.expand_as(x)], dim=-1)


class RowToken(nn.Module):
    """A row as one token, as the paper's published code has it.

    Args:
        n_features: Features of a row.
    """

    n_tokens = 1

    def __init__(self, n_features: int) -> None:
        super().__init__()
        self.token_dim = n_features

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, features)`` to ``(batch, 1, features)``."""
        return x.unsqueeze(1)


Encoder = EmbeddedTokens | FeatureTokens | RowToken
ENCODERS: dict[Tokens, type[Encoder]] = {
    "embedded": EmbeddedTokens,
    "features": FeatureTokens,
    "row": RowToken,
}


def encoder(tokens: Tokens, n_features: int) -> Encoder:
    """A fresh encoder for rows of ``n_features``."""
    return ENCODERS[tokens](n_features)
