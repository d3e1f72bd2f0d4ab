"""Windows as sequences: how 48 steps become tokens that attention can read."""

import torch
from torch import Tensor, nn

from nsac_core.benchmarks.forecasting.config import WindowTokens
from nsac_core.benchmarks.forecasting.windows import LOOK_BACK

_PATCH = 4
"""Steps of a patch."""


class PatchTokens(nn.Module):
    """One token for four steps: a linear map of what they are above the last step, and a place.

    Patches are those of Nie et al. (2023). Differences carry over to seasons that the training has
    not seen, where levels do not; how much the level itself tells is another matter, so the last
    step may enter as a map of its own, the same for all tokens.

    Args:
        variables: Of a step.
        level: Whether the last step enters.
        token_dim: Width of a token.
    """

    n_tokens = LOOK_BACK // _PATCH

    def __init__(self, variables: int, level: bool, token_dim: int = 64) -> None:
        super().__init__()
        self.token_dim = token_dim
        self.shape = nn.Linear(_PATCH * variables, token_dim)
        self.level = nn.Linear(variables, token_dim, bias=False) if level else None
        self.place = nn.Parameter(torch.empty(self.n_tokens, token_dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all weights; those of the places uniform in [-1, 1]."""
        self.shape.reset_parameters()
        if self.level is not None:
            self.level.reset_parameters()
        nn.init.uniform_(self.place, -1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, day, variables)`` to ``(batch, 12, token_dim)``."""
        last = x[:, -1:]
        patches = (x[:, -LOOK_BACK:] - last).reshape(len(x), self.n_tokens, -1)
        tokens: Tensor = self.shape(patches) + self.place
        return tokens if self.level is None else tokens + self.level(last)


class StepTokens(nn.Module):
    """One token a step, its variables as they are: the paper's.

    Args:
        variables: Of a step.
    """

    n_tokens = LOOK_BACK

    def __init__(self, variables: int) -> None:
        super().__init__()
        self.token_dim = variables

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, day, variables)`` to ``(batch, 48, variables)``."""
        return x[:, -LOOK_BACK:]


WindowEncoder = PatchTokens | StepTokens


def window_encoder(tokens: WindowTokens, variables: int) -> WindowEncoder:
    """A fresh encoder for windows of so many variables."""
    if tokens == "steps":
        return StepTokens(variables)
    return PatchTokens(variables, level=tokens == "patches")
