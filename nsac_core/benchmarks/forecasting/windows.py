"""Windows of a series: what is known, and what follows, in parts by time."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nsac_core.benchmarks.cells import ONLY_PART
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.series import FloatArray, Series
from nsac_core.benchmarks.parts import ROWS_AT_ONCE, Batch, Part, Split
from nsac_core.methods import Prediction

LOOK_BACK = 48
"""Steps that a method sees; a window holds a whole day, for the reference ``seasonal_naive``."""

HORIZON = 24
"""Steps that are to be forecast."""

SHARES = (0.8, 0.1)
"""Of the rows for training and for validation; the rest is for testing."""


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
class Windows(Part):
    """Windows of a part: ``x`` is the day that is known, ``y`` the 24 steps of the target after it.

    Methods learn by how much the target will differ from its last value, in units of the standard
    deviation of that over the training windows: ``batches`` and ``in_order`` give these.

    Attributes:
        x: All variables, scaled, float32 ``(windows, day, variables)``, the last step last.
        y: The target, scaled, float32 ``(windows, 24)``.
        spread: The unit of the differences.
    """

    spread: float = 1.0

    @property
    def last(self) -> Tensor:
        """The target at the last step that is known, ``(windows, 1)``."""
        return last_of(self.x)

    def batches(self, size: int, generator: torch.Generator) -> list[Batch]:
        """All windows in a new order, with differences as targets."""
        return Part(self.x, self._differences()).batches(size, generator)

    def in_order(self, size: int = ROWS_AT_ONCE) -> list[Batch]:
        """All windows as they are, with differences as targets."""
        return Part(self.x, self._differences()).in_order(size)

    def _differences(self) -> Tensor:
        return (self.y - self.last) / self.spread


def last_of(x: Tensor) -> Tensor:
    """The target at the last step of windows ``(windows, day, variables)``: ``(windows, 1)``."""
    return x[:, -1, -1:]


def restored(split: Split, x: Tensor, prediction: Prediction) -> Prediction:
    """From the differences that a method predicts to the target, scaled.

    Args:
        split: That the method was trained on.
        x: What it has seen.
        prediction: Of the differences.
    """
    windows = split.train
    assert isinstance(windows, Windows)
    return Prediction(
        last_of(x) + windows.spread * prediction.mean,
        windows.spread**2 * prediction.aleatoric,
        windows.spread**2 * prediction.epistemic,
    )


def steps_a_day(series: Series) -> int:
    """Steps of 24 hours.

    Raises:
        BenchmarkError: If they are fewer than a method sees.
    """
    steps = round(float(np.timedelta64(1, "D") / series.step))
    if steps < LOOK_BACK:
        raise BenchmarkError(f"a day of {steps} steps is shorter than the look-back of {LOOK_BACK}")
    return steps


def scale_of(series: Series) -> Scale:
    """That of the rows for training."""
    return Scale.of(series.values[: _ends(series)[0]])


def split(series: Series, stride: int, seed: int) -> Split:  # noqa: ARG001 - nothing random
    """The windows of a series, split by time: 80, 10 and 10 % of its rows.

    A window belongs to the part in which its 24 targets lie; the steps before them may reach back
    into the part before, as they are known by then. Windows that would reach across a gap, or with
    a target that was not measured, are left out.

    Args:
        series: Cleaned.
        stride: Rows from one training window to the next; the others have every window.
        seed: Changes nothing.

    Raises:
        BenchmarkError: If a part has no window.
    """
    values = scale_of(series)(series.values)
    usable = _usable(series)
    first, second = _ends(series)
    train = _windows(series, values, _starts(series, usable, 0, first)[::stride])
    spread = float((train.y - train.last).double().std(correction=0)) or 1.0
    found = [train] + [
        _windows(series, values, _starts(series, usable, begin, end))
        for begin, end in ((first, second), (second, len(series)))
    ]
    learning, validation, test = (replace(windows, spread=spread) for windows in found)
    return Split(learning, validation, {ONLY_PART: test})


def left_out(series: Series) -> int:
    """How many windows are left out for a gap or a target that was not measured."""
    return int((~_usable(series)).sum())


def _ends(series: Series) -> tuple[int, int]:
    """Rows at which training and validation end."""
    train, validation = SHARES
    return round(train * len(series)), round((train + validation) * len(series))


def _starts(series: Series, usable: NDArray[np.bool_], begin: int, end: int) -> NDArray[np.int64]:
    """Rows at which the windows begin whose targets lie in the rows from begin to end."""
    day = steps_a_day(series)
    starts = np.arange(max(begin - day, 0), end - day - HORIZON + 1)
    chosen = starts[usable[starts]] if len(starts) else starts
    if not len(chosen):
        raise BenchmarkError(
            f"rows must be more than {len(series)}: no window of a day and {HORIZON} steps fits "
            "into one of the parts"
        )
    return chosen


def _usable(series: Series) -> NDArray[np.bool_]:
    """Whether the window that starts at a row has no gap and a measured target."""
    day = steps_a_day(series)
    length = day + HORIZON
    if len(series) < length:
        return np.zeros(0, dtype=np.bool_)
    apart = series.times[length - 1 :] - series.times[: len(series) - length + 1]
    measured = np.lib.stride_tricks.sliding_window_view(series.observed[day:], HORIZON)
    return np.asarray((apart == (length - 1) * series.step) & measured.all(axis=1))


def _windows(series: Series, values: FloatArray, starts: NDArray[np.int64]) -> Windows:
    day = steps_a_day(series)
    known = starts[:, None] + np.arange(day)
    future = starts[:, None] + np.arange(day, day + HORIZON)
    return Windows(_tensor(values[known]), _tensor(values[future, -1]))


def _tensor(values: FloatArray) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float32)
