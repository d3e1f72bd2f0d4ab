"""Windows of a series: what is known, and what follows, in parts by time."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.series import FloatArray, Series

LOOK_BACK = 48
"""Steps that a forecast is made from."""

HORIZON = 24
"""Steps that it is made for."""

SHARES = (0.8, 0.1)
"""Of the rows for training and for validation; the rest is for testing."""

_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True)
class Scale:
    """The range of the training rows, which becomes [0, 1].

    Attributes:
        low: Least value of each variable, ``(variables,)``.
        high: Largest value, ``(variables,)``.
    """

    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, rows: FloatArray) -> "Scale":
        """That of ``(rows, variables)``; a variable that never changes keeps its unit."""
        low, high = rows.min(axis=0), rows.max(axis=0)
        return cls(low, np.where(high > low, high, low + 1))

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Scaled rows."""
        return np.asarray((rows - self.low) / (self.high - self.low))

    @property
    def unit(self) -> float:
        """How much of the target's own unit a scaled 1 is."""
        return float(self.high[-1] - self.low[-1])


@dataclass(frozen=True)
class Windows:
    """Windows of one part.

    Attributes:
        x: All variables, scaled, float32 ``(windows, 48, variables)``.
        y: The target after them, scaled, float32 ``(windows, 24)``.
        day_before: The target a day before ``y``; NaN where the series does not reach so far back.
        starts: Row of the series that is the first of ``x``.
    """

    x: Tensor
    y: Tensor
    day_before: Tensor
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.x)

    @property
    def last(self) -> Tensor:
        """The target at the last step that is known, ``(windows, 1)``."""
        return self.x[:, -1, -1:]


@dataclass(frozen=True)
class Parts:
    """Windows to train with, to choose by, and to test with; none shares a target with another.

    Attributes:
        train: The first 80 % of the rows.
        validation: The next 10 %.
        test: The last 10 %.
        scale: Of the training rows.
        left_out: Windows that would reach across a gap, or whose target was not measured.
    """

    train: Windows
    validation: Windows
    test: Windows
    scale: Scale
    left_out: int


def parts(series: Series, stride: int = 1) -> Parts:
    """The windows of a series, split by time.

    A window belongs to the part in which its 24 targets lie; the 48 steps before them may reach
    back into the part before, as they are known by then.

    Args:
        series: Cleaned.
        stride: Rows from one training window to the next; the others have every window.

    Raises:
        BenchmarkError: If a part has no window.
    """
    rows = len(series)
    first, second = (round(sum(SHARES[:n]) * rows) for n in (1, 2))
    scale = Scale.of(series.values[:first])
    usable = _usable(series)
    starts = np.arange(len(usable))
    targets = starts + LOOK_BACK, starts + LOOK_BACK + HORIZON
    found = []
    for begin, end, every in ((0, first, stride), (first, second, 1), (second, rows, 1)):
        inside = np.flatnonzero((targets[0] >= begin) & (targets[1] <= end))[::every]
        chosen = inside[usable[inside]]
        if not len(chosen):
            raise BenchmarkError(
                f"rows must be more than {rows}: no window of {LOOK_BACK} + {HORIZON} steps "
                "fits into a part"
            )
        found.append(_windows(series, scale, chosen))
    return Parts(*found, scale, int((~usable).sum()))


def _usable(series: Series) -> NDArray[np.bool_]:
    """Whether the window that starts at a row has no gap and a measured target."""
    length = LOOK_BACK + HORIZON
    if len(series) < length:
        return np.zeros(0, dtype=np.bool_)
    apart = series.times[length - 1 :] - series.times[: len(series) - length + 1]
    measured = np.lib.stride_tricks.sliding_window_view(series.observed[LOOK_BACK:], HORIZON)
    return (apart == (length - 1) * series.step) & measured.all(axis=1)


def _windows(series: Series, scale: Scale, starts: NDArray[np.int64]) -> Windows:
    values = scale(series.values)
    known = starts[:, None] + np.arange(LOOK_BACK)
    future = starts[:, None] + np.arange(LOOK_BACK, LOOK_BACK + HORIZON)
    target = values[:, -1]
    return Windows(
        _tensor(values[known]),
        _tensor(target[future]),
        _tensor(_a_day_before(series, target, future)),
        starts,
    )


def _a_day_before(
    series: Series, target: FloatArray, future: NDArray[np.int64]
) -> FloatArray:
    """The target at the times 24 hours before; gaps move rows, so times are looked up."""
    wanted = series.times[future] - _DAY
    rows = np.searchsorted(series.times, wanted)
    there = series.times[rows] == wanted
    return np.where(there, target[rows], np.nan)


def _tensor(values: FloatArray) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float32)
