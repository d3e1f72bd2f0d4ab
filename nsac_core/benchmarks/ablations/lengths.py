"""Spirals of any length: so many points seen, others asked for between them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from nsac_core.benchmarks.parts import Batch, Part, Split
from nsac_core.benchmarks.spiral.curves import NOISE, POINTS, curve_at
from nsac_core.benchmarks.spiral.parts import (
    EXTRAPOLATION,
    HALF,
    HELD_OUT,
    INTERPOLATION,
    TRAINED,
)

ASKED = 75


@dataclass(frozen=True)
class Drawn(Part):
    """Sequences drawn anew for every batch.

    Attributes:
        length: Points of a sequence that are told.
    """

    length: int = 0

    def batches(self, size: int, generator: torch.Generator) -> list[Batch]:
        """As many sequences as there are rows, of new points each."""
        sizes = [len(rows) for rows in torch.split(torch.arange(len(self)), size)]
        return [drawn(number, self.length, generator) for number in sizes]


def drawn(number: int, length: int, generator: torch.Generator) -> Batch:
    """Sequences of times in the first half, the last ``ASKED`` of them asked, and noisy targets."""
    told = 0.5 * torch.rand(number, length, generator=generator).sort().values
    asked = 0.5 * torch.rand(number, ASKED, generator=generator)
    noise = NOISE * torch.randn(number, ASKED, 2, generator=generator)
    return torch.cat([told, asked], dim=1)[..., None], curve_at(asked) + noise


def split(length: int, seed: int) -> Split:
    """Sequences of a length; tests ask for the two halves of the grid of the spiral.

    Args:
        length: Points that are told.
        seed: Of everything random.
    """
    generator = torch.Generator().manual_seed(seed)
    nothing = torch.zeros(TRAINED, 0)
    train = Drawn(nothing, torch.zeros(TRAINED, ASKED, 2), length=length)
    validation = Part(*drawn(HELD_OUT, length, generator))
    told = 0.5 * torch.rand(length, generator=generator).sort().values
    grid = torch.linspace(0, 1, POINTS)
    tests = {INTERPOLATION: grid[:HALF], EXTRAPOLATION: grid[HALF:]}
    return Split(train, validation, {name: _test(told, asked) for name, asked in tests.items()})


def _test(told: Tensor, asked: Tensor) -> Part:
    return Part(torch.cat([told, asked])[None, :, None], curve_at(asked)[None])
