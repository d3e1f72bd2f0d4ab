"""Bearings that have run until they failed: wavelet features by time, and degradation labels."""

import json
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from maps.files.one_line_error import in_one_line
from nsac_core.benchmarks.bearings.degradation import Regime, degradation
from nsac_core.benchmarks.bearings.wavelets import FEATURES
from nsac_core.benchmarks.errors import BenchmarkError

FloatArray = NDArray[np.float64]

CHANNELS = ("Horizontal", "Vertical")

KELVIN = 273.15

LONGEST = 1e9
"""Seconds that a bearing may run, some thirty years."""


@dataclass(frozen=True)
class Bearing:
    """One bearing.

    Attributes:
        name: Of the bearing.
        features: Seven of the horizontal and seven of the vertical acceleration, the energies as
            their logarithm to the base of 10, ``(rows, 14)``.
        time: As the authors count it, seconds since the start, ``(rows,)``.
        label: Degradation, 0 to 1, ``(rows,)``.
    """

    name: str
    features: FloatArray
    time: FloatArray
    label: FloatArray

    def __len__(self) -> int:
        return len(self.time)


def with_logarithms(channels: FloatArray) -> FloatArray:
    """Features ``(rows, 2, 7)`` as ``(rows, 14)``, the energies as logarithms to the base of 10."""
    logged = channels.copy()
    logged[..., 0] = np.log10(channels[..., 0] + 1e-8)
    return logged.reshape(len(channels), -1)


def xjtu() -> Regime:
    """Condition 1 of XJTU-SY: 12 kN at 2100 revolutions a minute."""
    return Regime(load=12000, speed=2100, temperature=293.15, capacity=12000, wear=1e-6)


def pronostia(load: float, speed: float, celsius: float) -> Regime:
    """A condition of PRONOSTIA, of the temperature that the file gives as degrees Celsius."""
    return Regime(load, speed, celsius + KELVIN, capacity=4000, wear=1e-3)


def hust() -> Regime:
    """What the authors take HUST for, whose bearings have never run to failure."""
    return Regime(load=400, speed=1500, temperature=298.15, capacity=12800, wear=1e-3)


def read(file: Path, content: bytes, name: str) -> Bearing:
    """Reads a file of features and labels its rows.

    Args:
        file: Named in faults.
        content: CSV with ``Time`` and, in ``Horizontal`` and ``Vertical``, lists of seven features.
        name: Of the bearing; what it begins with decides the regime: ``xjtu``, ``pronostia`` (whose
            file holds load, speed and temperature) or ``hust``.

    Raises:
        BenchmarkError: If a column is missing, or a row is not as it should be.
    """
    try:
        rows = pd.read_csv(BytesIO(content))
    except (ValueError, OverflowError, MemoryError) as fault:
        raise BenchmarkError(f"{file}: is no table: {in_one_line(fault)}") from None
    for column in (*CHANNELS, "Time"):
        if column not in rows:
            raise BenchmarkError(f"{file}: has no column {column}")
    time = _numbers(file, rows, "Time")
    falls = np.flatnonzero(~(np.diff(time) >= 0))
    if len(falls):
        raise BenchmarkError(f"{file}: row {falls[0] + 2}: Time is below that of the row before")
    if not 0 < time[-1] - time[0] <= LONGEST:
        raise BenchmarkError(
            f"{file}: Time should rise, by {LONGEST:g} s at most, not by {time[-1] - time[0]:g}"
        )
    channels = np.stack([_lists(file, rows, column) for column in CHANNELS], axis=1)
    label = degradation(time, _regime(file, rows, name))
    return Bearing(name, with_logarithms(channels), time, label)


def _numbers(file: Path, rows: pd.DataFrame, column: str) -> FloatArray:
    """A column of finite numbers."""
    if column not in rows:
        raise BenchmarkError(f"{file}: has no column {column}")
    found = pd.to_numeric(rows[column], errors="coerce").to_numpy(np.float64)
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise BenchmarkError(f"{file}: row {bad[0] + 1}: {column} should be a finite number")
    if not len(found):
        raise BenchmarkError(f"{file}: has no row")
    return found


def _regime(file: Path, rows: pd.DataFrame, name: str) -> Regime:
    if name.startswith("xjtu"):
        return xjtu()
    if name.startswith("hust"):
        return hust()
    return pronostia(*(_numbers(file, rows, n)[0] for n in ("Load", "RPM", "Temperature")))


def _lists(file: Path, rows: pd.DataFrame, column: str) -> FloatArray:
    found = np.empty((len(rows), len(FEATURES)))
    for number, text in enumerate(rows[column]):
        try:
            found[number] = json.loads(text)
        except (TypeError, ValueError, RecursionError, OverflowError):
            found[number] = np.nan
        if not np.isfinite(found[number]).all() or found[number, 0] < 0:
            raise BenchmarkError(
                f"{file}: row {number + 1}: {column} should be a list of {len(FEATURES)} numbers, "
                "the first of them an energy, 0 or more"
            )
    return found
