"""Measurements in equal steps of time, cleaned; what was wrong with them is told."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nsac_core.benchmarks.errors import BenchmarkError

FloatArray = NDArray[np.float64]

MISSING = -9999.0
"""What a weather station writes where it has measured nothing."""

Kind = Literal["missing", "duplicate", "gap"]


@dataclass(frozen=True)
class Fault:
    """Something wrong with a file.

    Attributes:
        kind: ``missing`` value, ``duplicate`` of a time, or ``gap`` between two times.
        time: Where: of the value, of the row left out, of the first row after the gap.
        variable: Whose value is missing; empty for faults of a whole row.
        steps: How many rows are missing in a gap, else 1.
    """

    kind: Kind
    time: np.datetime64
    variable: str = ""
    steps: int = 1

    @property
    def words(self) -> str:
        """What and when, for a table."""
        when = str(self.time.astype("datetime64[m]")).replace("T", " ")
        if self.kind == "gap":
            return f"{self.steps} rows missing before {when}"
        return f"{self.variable} missing at {when}" if self.variable else f"second row of {when}"


@dataclass(frozen=True)
class Series:
    """Variables over time, in their own units.

    Attributes:
        times: ``(rows,)``, rising; a step apart but for gaps.
        values: ``(rows, variables)``, without any missing: the last value before stands for one.
        observed: Whether the target was measured, ``(rows,)``.
        variables: Their names, the target last.
        step: Time from a row to the next.
        faults: What was wrong, by time.
    """

    times: NDArray[np.datetime64]
    values: FloatArray
    observed: NDArray[np.bool_]
    variables: tuple[str, ...]
    step: np.timedelta64
    faults: tuple[Fault, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.times)

    @property
    def target(self) -> FloatArray:
        """The variable to forecast, ``(rows,)``."""
        return self.values[:, -1]

    @property
    def hours(self) -> float:
        """Length of a step in hours."""
        return float(self.step / np.timedelta64(1, "h"))

    def first(self, rows: int) -> "Series":
        """The first rows, and the faults in them.

        Raises:
            BenchmarkError: If there are not so many.
        """
        if rows > len(self):
            raise BenchmarkError(f"rows must be at most {len(self)}, those there are, not {rows}")
        end = self.times[rows - 1]
        faults = tuple(fault for fault in self.faults if fault.time <= end)
        return Series(
            self.times[:rows],
            self.values[:rows],
            self.observed[:rows],
            self.variables,
            self.step,
            faults,
        )


def cleaned(times: Any, values: pd.DataFrame, step: np.timedelta64) -> Series:  # noqa: ANN401
    """A series from the rows of a file.

    Rows are put in the order of time, and of rows of one time the first is kept. A missing value
    (-9999, or none) is replaced by the last one before it, which is all that a forecaster would
    have had; at the very beginning by the first one after it. Gaps stay: ``windows`` does not
    reach across them.

    Args:
        times: Of the rows, anything that makes a ``pandas.DatetimeIndex``.
        values: A column a variable, the target last.
        step: Time from a row to the next.

    Raises:
        BenchmarkError: If there is no row, a row has no time, or a variable was never measured or
            is not finite.
    """
    index = pd.DatetimeIndex(times)
    if not len(index):
        raise BenchmarkError("has no row")
    if index.hasnans:
        raise BenchmarkError(f"row {int(np.argmax(index.isna())) + 1} has no time")
    rows = values.set_axis(index).sort_index(kind="stable")
    twice = rows.index.duplicated()
    faults = [Fault("duplicate", time) for time in rows.index[twice].to_numpy()]
    rows = rows[~twice].astype(np.float64)
    rows = rows.mask(rows == MISSING)
    endless = rows.columns[np.isinf(rows.to_numpy()).any(axis=0)]
    if len(endless):
        raise BenchmarkError(f"{endless[0]}: has a value that is no finite number")
    faults += _missing(rows) + _gaps(rows.index.to_numpy(), step)
    observed = rows.iloc[:, -1].notna().to_numpy()
    filled = rows.ffill().bfill()
    never = [str(name) for name in filled.columns[filled.isna().any()]]
    if never:
        raise BenchmarkError(f"{never[0]}: has no value at all")
    return Series(
        filled.index.to_numpy(),
        filled.to_numpy(),
        observed,
        tuple(map(str, filled.columns)),
        step,
        tuple(sorted(faults, key=lambda fault: fault.time)),
    )


def _missing(rows: pd.DataFrame) -> list[Fault]:
    places = np.argwhere(rows.isna().to_numpy())
    times = rows.index.to_numpy()
    return [Fault("missing", times[row], str(rows.columns[column])) for row, column in places]


def _gaps(times: NDArray[np.datetime64], step: np.timedelta64) -> list[Fault]:
    apart = np.diff(times)
    return [
        Fault("gap", times[place + 1], steps=round(apart[place] / step) - 1)
        for place in np.flatnonzero(apart != step)
    ]
