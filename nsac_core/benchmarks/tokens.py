"""Tables as sequences: how a row of features becomes tokens that attention can read."""

from typing import Literal

import torch
from torch import Tensor, nn

Tokens = Literal["features", "row"]


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
        self.n_features = n_features

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, features)`` to ``(batch, features, 2)``."""
        place = torch.arange(self.n_features, device=x.device, dtype=x.dtype) / self.n_features
        return torch.stack([x, place.expand_as(x)], dim=-1)


class RowToken(nn.Module):
    """A row as one token, as the paper's published code has it.

    Args:
        n_features: Features of a row.
    """

    def __init__(self, n_features: int) -> None:
        super().__init__()
        self.token_dim = n_features

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, features)`` to ``(batch, 1, features)``."""
        return x.unsqueeze(1)


def encoder(tokens: Tokens, n_features: int) -> FeatureTokens | RowToken:
    """A fresh encoder for rows of ``n_features``."""
    return FeatureTokens(n_features) if tokens == "features" else RowToken(n_features)
