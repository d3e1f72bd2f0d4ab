"""Times as tokens that attention can read."""

import math
from typing import Literal

import torch
from torch import Tensor, nn

from nsac_core.benchmarks.spiral.config import Tokens

_CYCLES = 4.0
"""Most cycles of a wave over the unit of time that weights start with."""


class TimeTokens(nn.Module):
    """One token a point: its time, what is seen there, and learned functions of the time.

    Of tokens ``waves`` the functions are ``sin(w t + b)`` (Time2Vec, Kazemi et al. 2019), of
    ``embedded`` ones ``w t + b``; ``raw`` tokens have none. What is seen at a point is added by a
    linear map; a point that is asked for, not seen, has zeros there.

    Args:
        features: Numbers of a point: the time, and whatever is seen.
        tokens: Kind.
        width: Features of a token.
    """

    n_tokens: Literal["each"] = "each"

    def __init__(self, features: int, tokens: Tokens = "waves", width: int = 64) -> None:
        super().__init__()
        self.tokens = tokens
        functions = 0 if tokens == "raw" else width - 1
        self.token_dim = features if tokens == "raw" else width
        self.weight = nn.Parameter(torch.empty(functions))
        self.bias = nn.Parameter(torch.empty(functions))
        self.seen = nn.Parameter(torch.empty(features - 1, functions))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws frequencies of up to four cycles and any phase, or weights in [-1, 1]."""
        waves = self.tokens == "waves"
        frequency, phase = (2 * math.pi * _CYCLES, math.pi) if waves else (1.0, 1.0)
        nn.init.uniform_(self.weight, -frequency, frequency)
        nn.init.uniform_(self.bias, -phase, phase)
        nn.init.uniform_(self.seen, -1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, time, features)``, the time first, to ``(batch, time, token_dim)``."""
        if self.tokens == "raw":
            return x
        time = x[..., :1]
        functions = time * self.weight + self.bias
        if self.tokens == "waves":
            functions = functions.sin()
        return torch.cat([time, functions + x[..., 1:] @ self.seen], dim=-1)
