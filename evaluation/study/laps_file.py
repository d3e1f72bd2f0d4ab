"""The file of a unit's laps: columns as gzipped JSON, some 300 bytes a lap.

Parquet takes ten times as much for so few rows, and gzip's checksum tells of any damage.
"""

import gzip
import json
import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from maps.files import json_file
from maps.files.one_line_error import in_one_line
from maps.files.plain_values import made


class DamagedFileError(Exception):
    """Says in a few words what is wrong with the file of a unit."""


@dataclass(frozen=True)
class UnitLaps:
    """What the file of a unit holds.

    Attributes:
        digest: Of what decided the laps.
        seconds: That the unit took.
        laps: One row a lap.
    """

    digest: str
    seconds: float
    laps: pd.DataFrame


@dataclass(frozen=True)
class _Content:
    """The JSON of a file."""

    unit: str
    seconds: float
    columns: dict[str, Any]
    types: dict[str, str]


def encode(laps: pd.DataFrame, digest: str, seconds: float) -> bytes:
    """The contents of a file; the same laps are the same bytes, but for the time they took."""
    content = {
        "unit": digest,
        "seconds": round(seconds, 3),
        "columns": {str(name): _list(laps[name]) for name in laps},
        "types": {str(name): _type(laps[name]) for name in laps},
    }
    return gzip.compress(json.dumps(content, allow_nan=False).encode(), mtime=0)


def decode(file: Path) -> UnitLaps:
    """Reads a file, to the last bit what was encoded.

    Raises:
        DamagedFileError: It is not what was written.
    """
    try:
        content = made(_Content, json_file.parse(gzip.decompress(file.read_bytes()).decode()))
        columns = {
            name: pd.Series(values, dtype=content.types[name])
            for name, values in content.columns.items()
        }
        return UnitLaps(content.unit, content.seconds, pd.DataFrame(columns))
    except (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError) as fault:
        raise DamagedFileError(f"damaged ({in_one_line(fault)})") from None


def _list(column: "pd.Series[Any]") -> list[Any]:
    """Values as JSON has them: None for NaN."""
    return [None if isinstance(v, float) and math.isnan(v) else v for v in column.tolist()]


def _type(column: "pd.Series[Any]") -> str:
    return str(column.dtype) if isinstance(column.dtype, np.dtype) else "str"
