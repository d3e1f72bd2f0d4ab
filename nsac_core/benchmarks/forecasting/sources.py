"""Where the two series come from: the publishers' files, or copies of them."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nsac_core.benchmarks.data_sets import Source, fetch
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.readers import read_ettm1, read_jena, unpacked
from nsac_core.benchmarks.forecasting.series import Series

ETTM1 = Source(
    "ettm1",
    "https://raw.githubusercontent.com/zhouhaoyi/ETDataset/main/ETT-small/ETTm1.csv",
    "6ce1759b1a18e3328421d5d75fadcb316c449fcd7cec32820c8dafda71986c9e",
    own="ett/ETTm1.csv",
)
JENA = Source(
    "jena",
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/jena_climate_2009_2016.csv.zip",
    None,  # its publishers state none: that it begins and ends when it should is checked instead
    own="jena/jena_climate_2009_2016.csv",
)
_JENA_ENDS = (np.datetime64("2009-01-01T00:10"), np.datetime64("2017-01-01T00:00"))


@dataclass(frozen=True)
class Data:
    """A series and the file it was read from.

    Attributes:
        series: Cleaned, of the whole file.
        file: Its name, unpacked.
        sha256: Of its content, unpacked.
    """

    series: Series
    file: str
    sha256: str


def ettm1(data_dir: Path | None = None) -> Data:
    """ETTm1: from ``data_dir/ett/ETTm1.csv`` (or ``.csv.xz``), or downloaded once.

    Raises:
        BenchmarkError: If it is not to be had, or is another file.
    """
    path = fetch(ETTM1) if data_dir is None else _copy(data_dir / "ett", "ETTm1.csv*", ETTM1)
    data = _data(path, read_ettm1)
    if data.sha256 != ETTM1.sha256:
        raise BenchmarkError(
            f"{path}: has SHA-256 {data.sha256}, not {ETTM1.sha256}, that of {ETTM1.url}"
        )
    return data


def jena(data_dir: Path | None = None) -> Data:
    """Jena's weather: from the one file in ``data_dir/jena``, of any year, or downloaded once.

    Raises:
        BenchmarkError: If it is not to be had, or is another file.
    """
    if data_dir is not None:
        return _data(_copy(data_dir / "jena", "*.csv*", JENA), read_jena)
    path = fetch(JENA)
    data = _data(path, read_jena)
    if (data.series.times[0], data.series.times[-1]) != _JENA_ENDS:
        raise BenchmarkError(f"{path}: does not reach from {_JENA_ENDS[0]} to {_JENA_ENDS[1]}")
    return data


SERIES: dict[str, Callable[[Path | None], Data]] = {"ettm1": ettm1, "jena": jena}
"""By the name of the benchmark."""


def _copy(folder: Path, pattern: str, source: Source) -> Path:
    paths = sorted(folder.glob(pattern))
    if len(paths) == 1:
        return paths[0]
    if paths:
        raise BenchmarkError(f"{folder}: holds {paths[0].name} and {paths[1].name}; keep one")
    raise BenchmarkError(f"{folder}: holds no {pattern}; there should be a copy of {source.url}")


def _data(path: Path, read: Callable[[bytes], Series]) -> Data:
    name, content = unpacked(path)
    try:
        series = read(content)
    except BenchmarkError as fault:
        raise BenchmarkError(f"{path}: {fault}") from None
    return Data(series, name, hashlib.sha256(content).hexdigest())
