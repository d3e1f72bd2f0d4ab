"""Spirals: one curve with other noise each time, or the curves of the ContiFormer paper."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from nsac_core.benchmarks.spiral.config import Generator

SPIRALS, POINTS = 300, 150
TURNS = 3
NOISE = 0.05
_SPREAD = 0.02
_CENTRE = 5.0


@dataclass(frozen=True)
class Curves:
    """Spirals and what is seen of them.

    Attributes:
        times: Angle over the last angle, in [0, 1], float32 ``(points,)``.
        clean: The curves, ``(spirals, points, 2)``.
        noisy: With noise, ``(spirals, points, 2)``.
    """

    times: Tensor
    clean: Tensor
    noisy: Tensor


def archimedes(generator: torch.Generator, spirals: int = SPIRALS) -> Curves:
    """The curve ``r = angle / 6 pi`` of three turns, each time with other noise of std 0.05."""
    angle = _angles()
    times = angle / angle[-1]
    clean = _around(times, angle).expand(spirals, -1, -1)
    return Curves(times.float(), clean.float(), _with_noise(clean, generator).float())


def contiformer(
    generator: torch.Generator, spirals: int = SPIRALS, clockwise: float = 0.0
) -> Curves:
    """Curves as in the ContiFormer paper (Chen et al. 2023), with offset and slope of their own.

    Counter-clockwise ``r = a + b angle`` around (5, 0); clockwise, with ``z = 6 pi + 1 - angle``,
    ``r = a + 50 b / z`` at angle z around (-5, 0), from its end. ``a`` is drawn from N(0, 0.02^2),
    ``b`` from N(0.3, 0.02^2). Noise of std 0.05 is added; then both are scaled by the range of the
    clean set, coordinate by coordinate, to [0, 1].

    Args:
        generator: Source of everything random.
        spirals: How many.
        clockwise: Probability that one turns clockwise.
    """
    angle = _angles()
    a, slope = _SPREAD * torch.randn(2, spirals, 1, generator=generator, dtype=torch.float64)
    b = 0.3 + slope
    z = angle[-1] + 1 - angle
    forward = _around(a + b * angle, angle) + angle.new_tensor([_CENTRE, 0.0])
    backward = (_around(a + 50 * b / z, z) - angle.new_tensor([_CENTRE, 0.0])).flip(1)
    turned = torch.rand(spirals, 1, 1, generator=generator, dtype=torch.float64) < clockwise
    clean = torch.where(turned, backward, forward)
    noisy = _with_noise(clean, generator)
    low, high = clean.flatten(0, 1).aminmax(dim=0)
    scaled = [((points - low) / (high - low)).float() for points in (clean, noisy)]
    return Curves((angle / angle[-1]).float(), *scaled)


def curve_at(times: Tensor) -> Tensor:
    """The curve of ``archimedes`` at any times in [0, 1]: from ``(...)`` to ``(..., 2)``."""
    return _around(times, 2 * torch.pi * TURNS * times)


GENERATORS: dict[Generator, Callable[[torch.Generator], Curves]] = {
    "archimedes": archimedes,
    "contiformer": contiformer,
}


def _angles() -> Tensor:
    return torch.linspace(0, 2 * torch.pi * TURNS, POINTS, dtype=torch.float64)


def _around(radius: Tensor, angle: Tensor) -> Tensor:
    return torch.stack([radius * angle.cos(), radius * angle.sin()], -1)


def _with_noise(clean: Tensor, generator: torch.Generator) -> Tensor:
    return clean + NOISE * torch.randn(clean.shape, generator=generator, dtype=clean.dtype)
