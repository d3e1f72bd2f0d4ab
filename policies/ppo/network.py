"""The networks of the PPO expert: four stacked frames to a Beta distribution, and to a value."""

from typing import Self, cast

import torch
from torch import Tensor, nn
from torch.distributions import Beta

from policies import encoders
from policies.errors import PolicyError

FEATURES = 256
EDGE = 1e-4
"""Samples keep this distance from the ends of [0, 1], where a density may vanish."""


class StackEncoder(nn.Module):
    """Features of a stack of frames, read as channels of one picture: 84 -> 27 -> 13 -> 6.

    The layers' names are theirs to hook: ``relu3`` gives the 64-channel 6 x 6 map.

    Attributes:
        half_precision: Whether it computes in bfloat16.
    """

    def __init__(self, frames: int = 4, *, half_precision: bool = False) -> None:
        super().__init__()
        self.half_precision = half_precision
        self.conv1 = nn.Conv2d(frames, 16, 5, stride=3)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(16, 32, 3, stride=2)
        self.relu2 = nn.ReLU()
        self.conv3 = nn.Conv2d(32, 64, 3, stride=2)
        self.relu3 = nn.ReLU()
        self.dense = nn.Linear(64 * 6 * 6, FEATURES)
        self.to(memory_format=torch.channels_last)

    def scale(self, stacks: Tensor) -> Tensor:
        """Bytes as numbers in [0, 1]; anything else is taken as scaled already.

        Two encoders of one precision can share the result: the copy is a fifth of their work.
        """
        if stacks.dtype != torch.uint8:
            return stacks
        number = torch.bfloat16 if self.half_precision else torch.float32
        return stacks.to(number, memory_format=torch.channels_last).div_(255)

    def forward(self, stacks: Tensor) -> Tensor:
        """Features, float32 ``(n, 256)``, of stacks ``(n, frames, 84, 84)``, uint8 or scaled."""
        maps = self.scale(stacks)
        with torch.autocast(stacks.device.type, torch.bfloat16, enabled=self.half_precision):
            maps = self.relu1(self.conv1(maps))
            maps = self.relu2(self.conv2(maps))
            maps = self.relu3(self.conv3(maps))
            return torch.relu(self.dense(maps.flatten(1))).float()


class FixedEncoder(nn.Module):
    """Features of a stack through the encoder of a cloned policy, which PPO leaves as it is.

    Args:
        name: Of the encoder, whose tokens of four frames must be as many features.
    """

    half_precision = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self.frames = encoders.build(name).requires_grad_(False)
        width = self.frames.token_dim * self.frames.observation.frames
        if width != FEATURES:
            raise PolicyError(f"encoder {name!r} gives {width} features, expected {FEATURES}")
        self.eval()

    def train(self, mode: bool = True) -> Self:  # noqa: ARG002 - its normalisation is fixed
        """Stays as it is."""
        return super().train(False)

    def scale(self, stacks: Tensor) -> Tensor:
        """The stacks themselves."""
        return stacks

    @torch.no_grad()
    def tokens(self, frames: Tensor) -> Tensor:
        """Tokens ``(n, 64)`` of single frames ``(n, 84, 84)`` uint8."""
        return self.frames.encode_frames(self.frames.scale(frames))

    @torch.no_grad()
    def forward(self, stacks: Tensor) -> Tensor:
        """Features, float32 ``(n, 256)``, of stacks ``(n, 4, 84, 84)`` uint8."""
        return cast(Tensor, self.frames(stacks)).flatten(1)


class Actor(nn.Module):
    """A Beta distribution of [steer, pedal], by its mode and concentration.

    The mode is what is driven; the concentration tells how much is explored about it. Both
    parameters of the distribution exceed one, so that it has one mode and no mass at the ends.

    Args:
        encoder: ``stack``, or the name of a cloned policy's encoder, which is not trained.
        half_precision: Whether an encoder that is trained computes in bfloat16.
    """

    encoder: StackEncoder | FixedEncoder

    def __init__(self, encoder: str = "stack", *, half_precision: bool = False) -> None:
        super().__init__()
        if encoder == "stack":
            self.encoder = StackEncoder(half_precision=half_precision)
        else:
            self.encoder = FixedEncoder(encoder)
        self.hidden = nn.Linear(FEATURES, FEATURES)
        self.mode = nn.Linear(FEATURES, 2)
        self.log_concentration = nn.Linear(FEATURES, 2)
        nn.init.orthogonal_(self.mode.weight, 0.01)
        nn.init.zeros_(self.mode.bias)
        nn.init.zeros_(self.log_concentration.weight)
        nn.init.constant_(self.log_concentration.bias, 1.0)

    def forward(self, seen: Tensor) -> Tensor:
        """Modes, ``(n, 2)`` in [-1, 1]: steer (right positive), and gas less brake.

        Args:
            seen: Stacks ``(n, 4, 84, 84)``, or their features ``(n, 256)``.
        """
        return torch.tanh(0.5 * self.mode(self._hidden(seen)))

    def distribution(self, seen: Tensor) -> Beta:
        """Distribution of the actions ``(n, 2)``, moved from [-1, 1] to [0, 1]."""
        hidden = self._hidden(seen)
        mode = torch.sigmoid(self.mode(hidden))
        peaked = torch.exp(self.log_concentration(hidden).clamp(max=8.0))
        return Beta(1.0 + peaked * mode, 1.0 + peaked * (1.0 - mode), validate_args=False)

    def _hidden(self, seen: Tensor) -> Tensor:
        return torch.relu(self.hidden(seen if seen.dim() == 2 else self.encoder(seen)))

    @torch.no_grad()
    def explore(self, steer_spread: float, pedal_spread: float) -> None:
        """Sets the spread about a mode of zero, the same for all pictures.

        Args:
            steer_spread: Standard deviation of the steering, in (0, 0.5).
            pedal_spread: Standard deviation of the pedal, in (0, 0.5).
        """
        self.log_concentration.weight.zero_()
        for i, spread in enumerate((steer_spread, pedal_spread)):
            # A symmetric Beta(1 + c/2, 1 + c/2) on [-1, 1] has variance 1 / (c + 3).
            self.log_concentration.bias[i] = torch.tensor(spread**-2 - 3.0).log()


class Critic(nn.Module):
    """The value of a stack, through an encoder of its own where there is one to be trained."""

    encoder: StackEncoder | None

    def __init__(self, encoder: str = "stack", *, half_precision: bool = False) -> None:
        super().__init__()
        trains = encoder == "stack"
        self.encoder = StackEncoder(half_precision=half_precision) if trains else None
        self.hidden = nn.Linear(FEATURES, FEATURES)
        self.value = nn.Linear(FEATURES, 1)

    def forward(self, seen: Tensor) -> Tensor:
        """Values ``(n, 1)`` of stacks, or of the features of a fixed encoder ``(n, 256)``."""
        features = seen if self.encoder is None else self.encoder(seen)
        return cast(Tensor, self.value(torch.relu(self.hidden(features))))


def log_density(beta: Beta, actions: Tensor) -> Tensor:
    """Log density ``(n,)``, up to a constant, of actions ``(n, 2)`` in [-1, 1]."""
    unit = (0.5 * (actions + 1.0)).clamp(EDGE, 1.0 - EDGE)
    density: Tensor = beta.log_prob(unit)  # type: ignore[no-untyped-call]
    return density.sum(dim=-1)
