"""Spirals as parts: which points are seen, which are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from nsac_core.benchmarks.parts import Batch, Part, Split
from nsac_core.benchmarks.spiral.config import Generator
from nsac_core.benchmarks.spiral.curves import GENERATORS, POINTS, Curves

SEEN = 50
"""Observed points of a spiral."""

HALF = POINTS // 2
TRAINED, HELD_OUT = 180, 20
"""Spirals to learn from and for validation; the other 100 are for testing."""

NOISY = 10
"""Spirals whose noisy points test the predicted noise."""

LEFT_OUT = ""
OBSERVED, INTERPOLATION, EXTRAPOLATION = "observed", "interpolation", "extrapolation"


@dataclass(frozen=True)
class Observed(Part):
    """Spirals of which other points are seen in every batch, the same for all of a batch.

    Attributes:
        x: Points as they may be seen, ``(spirals, points, features)``, the time first.
        y: Their targets, ``(spirals, points, 2)``.
        reach: Points that can be seen, the first.
        asked: Further points, of all, that are asked for.
    """

    reach: int = POINTS
    asked: int = 0

    def batches(self, size: int, generator: torch.Generator) -> list[Batch]:
        """All spirals in a new order, seen at new points."""
        order = torch.randperm(len(self), generator=generator)
        return [self._batch(rows, generator) for rows in torch.split(order, size)]

    def _batch(self, rows: Tensor, generator: torch.Generator) -> Batch:
        seen = some(self.reach, SEEN, generator)
        asked = some(self.x.shape[1], self.asked, generator)
        return sequences(self.x[rows], seen, asked), self.y[rows][:, torch.cat([seen, asked])]


def some(points: int, number: int, generator: torch.Generator) -> Tensor:
    """Indices of some of the first points, in order."""
    return torch.randperm(points, generator=generator)[:number].sort().values


def sequences(x: Tensor, seen: Tensor, asked: Tensor) -> Tensor:
    """Points seen, then points of which nothing but the time is told.

    Args:
        x: ``(spirals, points, features)``.
        seen: Indices of points.
        asked: Indices of points.
    """
    blank = torch.zeros_like(x[:, asked])
    blank[..., 0] = x[:, asked, 0]
    return torch.cat([x[:, seen], blank], dim=1)


def split(curves: Generator, reach: int, seed: int) -> Split:
    """The spirals of a seed.

    Tests ask for the whole curve from 50 points seen of it. The targets of the part ``observed``
    are the points as they are seen, those of the other parts lie on the curve itself; ``noisy``
    has the noisy points of the reach.

    Args:
        curves: Name of a generator.
        reach: Points that can be seen in training, the first.
        seed: Of everything random.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn = GENERATORS[curves](generator)
    told = curves == "contiformer"  # one curve needs no points to be told apart by
    x = _inputs(drawn, told)
    y = drawn.clean if told else drawn.noisy
    seen = some(reach, SEEN, generator)
    grid = torch.arange(POINTS)
    # What is not told of can only be learnt where it is seen; the rest is kept from everybody.
    learnt = slice(None if told else reach)
    train = Observed(
        x[:TRAINED, learnt], y[:TRAINED, learnt], reach=reach, asked=SEEN if told else 0
    )
    rows = slice(TRAINED, TRAINED + HELD_OUT)
    own = some(reach, SEEN, generator)
    asked = grid if told else own[:0]
    validation = Part(sequences(x[rows], own, asked), y[rows][:, torch.cat([own, asked])])
    return Split(train, validation, _tests(drawn, x, seen, reach, told))


def _inputs(drawn: Curves, told: bool) -> Tensor:
    """``[time]`` of each point, or ``[time, x, y, 1]``: the 1 says that the point is seen."""
    times = drawn.times[:, None].expand(len(drawn.noisy), -1, 1)
    if not told:
        return times
    return torch.cat([times, drawn.noisy, torch.ones_like(times)], dim=-1)


def _tests(drawn: Curves, x: Tensor, seen: Tensor, reach: int, told: bool) -> dict[str, Part]:
    """Where times are all that is told, one sequence stands for all spirals of the test."""
    first = TRAINED + HELD_OUT
    rows = slice(first, None if told else first + 1)
    noisy = slice(first, first + NOISY)
    grid, known = torch.arange(POINTS), torch.arange(reach)
    regimes = [INTERPOLATION] * HALF + [EXTRAPOLATION] * (POINTS - HALF)
    clean = torch.cat([drawn.noisy[rows][:, seen], drawn.clean[rows]], dim=1)
    measured = drawn.noisy[noisy][:, torch.cat([seen, known])]
    return {
        "test": _test(sequences(x[rows], seen, grid), clean, [OBSERVED] * SEEN + regimes),
        "noisy": _test(
            sequences(x[noisy], seen, known), measured, [LEFT_OUT] * SEEN + ["noisy"] * reach
        ),
    }


def _test(x: Tensor, y: Tensor, labels: Sequence[str]) -> Part:
    return Part(x, y, tuple(labels) * len(x))
