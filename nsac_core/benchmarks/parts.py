"""What a method learns from and is tested on."""

from dataclasses import dataclass

import torch
from torch import Tensor

ROWS_AT_ONCE = 256
"""Rows predicted together."""

Batch = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Part:
    """Rows of a split, scaled.

    Attributes:
        x: Inputs, float32 ``(rows, ...)``.
        y: Targets, float32 ``(rows, out)``; ``(rows, time, out)`` where a row is a sequence of
            which every position is predicted.
        labels: Where predicted values of one part are to be scored apart: the name of the part of
            each position of ``y`` but its last axis, in order; empty for one that is not scored.
            None gives all the part's own name.
    """

    x: Tensor
    y: Tensor
    labels: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.x)

    def batches(self, size: int, generator: torch.Generator) -> list[Batch]:
        """All rows in a new order, for an epoch of training."""
        order = torch.randperm(len(self), generator=generator)
        return [(self.x[rows], self.y[rows]) for rows in torch.split(order, size)]

    def in_order(self, size: int = ROWS_AT_ONCE) -> list[Batch]:
        """All rows as they are, for predictions."""
        pieces = (torch.split(values, size) for values in (self.x, self.y))
        return list(zip(*pieces, strict=True))


@dataclass(frozen=True)
class Split:
    """Parts that share no row.

    Attributes:
        train: To learn from.
        validation: Decides which epoch's weights are kept.
        tests: By name; a test without a name of its own is ``test``.
    """

    train: Part
    validation: Part
    tests: dict[str, Part]

    @property
    def test(self) -> Part:
        """The test part, where there is but one."""
        (only,) = self.tests.values()
        return only


def perturbed(part: Part, sigma: float, seed: int) -> Tensor:
    """Inputs plus Gaussian noise of standard deviation ``sigma`` in scaled units.

    The noise of a seed is the same for every method, and the same but for its size for every sigma.
    """
    noise = torch.randn(part.x.shape, generator=torch.Generator().manual_seed(seed))
    return part.x + sigma * noise
