"""Tells what the protocol does not: pose, lateral error, interventions, as one JSON object a line.

Each line but the last is a moment: the fields of `State`, ``steering``, ``throttle``, ``manual``,
``interventions`` and ``autonomy``. The last line holds one field ``summary``, with those of
`Summary`.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from drive.udacity.simulator.cabin import Cabin
from drive.udacity.simulator.errors import SimulatorError

STANDARD_OUTPUT = Path("-")


class SideChannel:
    """Writes lines, each at once.

    Args:
        file: Where to; None says nothing.

    Raises:
        SimulatorError: By each of its methods, where a line cannot be written.
    """

    def __init__(self, file: TextIO | None) -> None:
        self._file = file

    def tell(self, cabin: Cabin) -> None:
        """Writes down the moment."""
        if self._file is not None:
            self._write(cabin.moment())

    def end(self, cabin: Cabin) -> None:
        """Writes down how the drive went."""
        if self._file is not None:
            self._write({"summary": asdict(cabin.summary())})

    def _write(self, line: object) -> None:
        try:
            print(json.dumps(line), file=self._file, flush=True)
        except OSError as fault:
            name = getattr(self._file, "name", "the report")
            raise SimulatorError(f"{name}: cannot be written ({fault.strerror})") from None


@contextmanager
def open_side_channel(path: Path | None) -> Iterator[SideChannel]:
    """Opens a side channel to a file, which is written anew; ``-`` stands for standard output.

    Raises:
        SimulatorError: The file cannot be written.
    """
    if path is None or path == STANDARD_OUTPUT:
        yield SideChannel(None if path is None else sys.stdout)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w", encoding="utf-8")
    except OSError as fault:
        raise SimulatorError(f"{path}: cannot be written ({fault.strerror})") from None
    with file:
        yield SideChannel(file)
