"""The files of a study's folder: a file a unit, joined into ``laps.parquet``."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from evaluation.study.drive_unit import Driven
from evaluation.study.laps_file import DamagedFileError, UnitLaps, decode
from evaluation.study.units import Unit, digest_of
from maps.files import parquet_file
from maps.files.damaged import DamagedError
from maps.files.parquet_file import CHECKSUMS
from maps.files.whole import whole, write_bytes

ROWS = 5000
"""Laps in memory while the units are joined."""

_SUFFIX = ".json.gz"
_STAMP = b"nsac_study"


class Store:
    """Keeps what the units came to; a unit is there whole or not at all."""

    def __init__(self, out: Path) -> None:
        """Of the study in the folder ``out``."""
        self.laps_file = out / "laps.parquet"
        self._units = out / "units"
        self._steps = out / "steps"

    def file_of(self, unit: Unit) -> Path:
        """Where the laps of a unit are."""
        return self._units / f"{unit.name}{_SUFFIX}"

    def names(self) -> set[str]:
        """Names of all units that are there, whichever study they belong to."""
        files = self._units.rglob(f"*{_SUFFIX}")
        return {file.relative_to(self._units).as_posix().removesuffix(_SUFFIX) for file in files}

    def write(self, driven: Driven) -> None:
        """Keeps a unit; its steps first, so that the laps say that it is done."""
        if driven.steps is not None:
            _write(self._steps / f"{driven.unit.name}.parquet", driven.steps)
        _write(self.file_of(driven.unit), driven.laps)

    def read(self, unit: Unit) -> UnitLaps:
        """What a unit came to.

        Raises:
            DamagedFileError: The file is not what was written, or of another unit.
        """
        found = decode(self.file_of(unit))
        if found.digest != unit.digest:
            raise DamagedFileError("of another unit or version")
        return found

    def joined(self, units: Sequence[Unit]) -> bool:
        """Whether ``laps.parquet`` holds the laps of exactly these units."""
        if not self.laps_file.is_file():
            return False
        try:
            stamp = (parquet_file.read_schema(self.laps_file).metadata or {}).get(_STAMP)
        except DamagedError:
            return False
        return bool(stamp == digest_of(units).encode())

    def join(self, units: Sequence[Unit]) -> dict[Path, str]:
        """Writes ``laps.parquet``, a few thousand laps at a time in memory.

        Returns:
            Files of damaged units and what is wrong with them; where there are any, nothing is
            written.
        """
        damaged: dict[Path, str] = {}
        with suppress(DamagedFileError), whole(self.laps_file) as aside:
            self._join(aside, units, damaged)
            if damaged:
                raise DamagedFileError
        return damaged

    def _join(self, file: Path, units: Sequence[Unit], damaged: dict[Path, str]) -> None:
        with ExitStack() as opened:
            writer = None
            for frame in self._frames(units, damaged):
                table = pa.Table.from_pandas(frame, preserve_index=False)
                if writer is None:
                    stamp = {**(table.schema.metadata or {}), _STAMP: digest_of(units).encode()}
                    schema = table.schema.with_metadata(stamp)
                    writer = pq.ParquetWriter(file, schema, compression="zstd", **CHECKSUMS)
                    opened.enter_context(writer)
                writer.write_table(table.cast(writer.schema))

    def _frames(self, units: Sequence[Unit], damaged: dict[Path, str]) -> Iterator[pd.DataFrame]:
        held: list[pd.DataFrame] = []
        for unit in units:
            try:
                held.append(self.read(unit).laps)
            except DamagedFileError as fault:
                damaged[self.file_of(unit)] = str(fault)
            if sum(map(len, held)) >= ROWS:
                yield pd.concat(held, ignore_index=True)
                held = []
        if held:
            yield pd.concat(held, ignore_index=True)


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(file, content)
