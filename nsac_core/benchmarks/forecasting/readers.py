"""Reads the files of the two series of the paper."""

import lzma
import zlib
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np
import pandas as pd

from maps.files.one_line_error import in_one_line
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.series import Series, cleaned

ETTM1_VARIABLES = ("HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT")
JENA_VARIABLES = (
    "p (mbar)",
    "Tpot (K)",
    "Tdew (degC)",
    "rh (%)",
    "VPmax (mbar)",
    "VPact (mbar)",
    "VPdef (mbar)",
    "sh (g/kg)",
    "H2OC (mmol/mol)",
    "rho (g/m**3)",
    "wv (m/s)",
    "max. wv (m/s)",
    "wd (deg)",
    "T (degC)",
)


_PACKING = (
    *(lzma.LZMAError, BadZipFile, zlib.error, StopIteration),
    *(EOFError, RuntimeError, NotImplementedError, ValueError),
)
"""What unpacking damaged files raises."""


def read_ettm1(content: bytes) -> Series:
    """Oil temperature of a transformer and six loads, every quarter of an hour (ETTm1).

    Raises:
        BenchmarkError: If the file is not that one, or damaged.
    """
    return _read(content, "date", "%Y-%m-%d %H:%M:%S", ETTM1_VARIABLES, 15)


def read_jena(content: bytes) -> Series:
    """Air temperature and 13 variables of the weather station in Jena, every ten minutes.

    Either the file of 2009 to 2016 (``Date Time`` as ``01.01.2009 00:10:00``) or those that the
    station publishes by half-years and years (``date`` as ``2020-01-01 00:10:00``, and more
    columns, which are left out).

    Raises:
        BenchmarkError: If the file is neither, or damaged.
    """
    if content[:16].lstrip(b'\xef\xbb\xbf"').startswith(b"Date Time"):
        return _read(content, "Date Time", "%d.%m.%Y %H:%M:%S", JENA_VARIABLES, 10)
    return _read(content, "date", "%Y-%m-%d %H:%M:%S", JENA_VARIABLES, 10)


def unpacked(path: Path) -> tuple[str, bytes]:
    """Name and content of a CSV file, which may be packed, as XZ or alone in a ZIP archive.

    Raises:
        BenchmarkError: If it cannot be unpacked.
    """
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise BenchmarkError(f"{path}: cannot be read ({fault.strerror})") from None
    try:
        if content.startswith(b"\xfd7zXZ"):
            return path.stem, lzma.decompress(content)
        if content.startswith(b"PK"):
            with ZipFile(BytesIO(content)) as archive:
                name = next(name for name in archive.namelist() if name.endswith(".csv"))
                return Path(name).name, archive.read(name)
    except _PACKING:
        raise BenchmarkError(
            f"{path}: cannot be unpacked to a CSV file: truncated or damaged; fetch it anew"
        ) from None
    return path.name, content


def _read(
    content: bytes, clock: str, layout: str, variables: tuple[str, ...], minutes: int
) -> Series:
    try:
        # The units of columns that are left out are in one encoding here and in another there.
        table = pd.read_csv(BytesIO(content), encoding="latin-1")
    except (ValueError, OverflowError, MemoryError) as fault:
        raise BenchmarkError(f"is no table: {in_one_line(fault)}") from None
    lacking = [name for name in (clock, *variables) if name not in table.columns]
    if lacking:
        raise BenchmarkError(f"has no column {lacking[0]!r}")
    try:
        times = pd.to_datetime(table[clock], format=layout)
        values = table[list(variables)].astype(np.float64)
    except (ValueError, TypeError, OverflowError) as fault:
        raise BenchmarkError(f"cannot be read: {in_one_line(fault)}") from None
    return cleaned(times, values, np.timedelta64(minutes, "m"))
