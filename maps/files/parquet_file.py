"""Tables as Parquet files, whose pages have checksums, so that a flipped bit is noticed."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from maps.files.damaged import DamagedError
from maps.files.one_line_error import in_one_line
from maps.files.present import is_file
from maps.files.whole import whole

CHECKSUMS: dict[str, Any] = {"write_page_checksum": True}
"""Options of whoever writes Parquet by itself."""

_FAULTS = (pa.ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError)
"""What pyarrow and pandas raise over damaged files, as trials have shown."""


def write(file: Path, frame: pd.DataFrame) -> None:
    """Writes a table, whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    with whole(file) as aside:
        frame.to_parquet(aside, index=False, **CHECKSUMS)


def read(
    file: Path, columns: Sequence[str] | None = None, needed: Sequence[str] = ()
) -> pd.DataFrame:
    """A table.

    Args:
        file: The file.
        columns: Those that are wanted; None for all.
        needed: Those that must be there besides.

    Raises:
        DamagedError: It is missing, truncated, damaged, no Parquet, or lacks a column.
    """
    table = read_table(file, columns, needed)
    try:
        return table.to_pandas()  # type: ignore[no-any-return]
    except _FAULTS as fault:
        raise _damaged(file, fault) from None


def read_table(file: Path, columns: Sequence[str] | None = None, needed: Sequence[str] = ()) -> Any:  # noqa: ANN401 - untyped
    """A table as pyarrow has it, with its metadata.

    Raises:
        DamagedError: As ``read``.
    """
    schema = read_schema(file)
    lacking = [name for name in (*(columns or ()), *needed) if name not in schema.names]
    if lacking:
        raise DamagedError(f"{file}: has no column {lacking[0]!r}: is it another file?")
    wanted = None if columns is None else list(columns)
    try:
        return pq.read_table(file, columns=wanted, page_checksum_verification=True)
    except _FAULTS as fault:
        raise _damaged(file, fault) from None


def read_schema(file: Path) -> Any:  # noqa: ANN401 - untyped
    """The columns of a table and its metadata.

    Raises:
        DamagedError: It is missing, truncated, damaged or no Parquet.
    """
    if not is_file(file):
        raise DamagedError(f"{file}: no such file")
    try:
        schema = pq.read_schema(file)
        # No checksum covers the names, but pandas has noted them too.
        noted = json.loads((schema.metadata or {}).get(b"pandas", b"null"))
        if noted and {column["field_name"] for column in noted["columns"]} != set(schema.names):
            raise ValueError("the names of the columns do not agree")
    except _FAULTS as fault:
        raise _damaged(file, fault) from None
    return schema


def _damaged(file: Path, fault: Exception) -> DamagedError:
    reason = in_one_line(fault)
    return DamagedError(
        f"{file}: damaged, or no Parquet file ({reason}); remove it and repeat the command that "
        "made it"
    )
