"""Runs cells in processes, the longest first; what is done is kept, and never done again."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from maps.files import json_file
from maps.files.json_file import JsonError
from maps.files.locks import holds_nothing, locked_folder
from maps.files.whole import write_text
from nsac_core.benchmarks.cells import Cell, Result, file_of, write
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.processes import finished
from nsac_core.benchmarks.progress import Scratch, shown
from nsac_core.fit_config import FittingError
from nsac_core.fitting_state import FittingStateError

Work = Callable[[Cell, Scratch], Result]
"""Trains and tests a cell; runs in another process, so it can be pickled."""


def run(
    folder: Path,
    cells: Sequence[Cell],
    settings: dict[str, Any],
    work: Work,
    workers: int = 1,
    quiet: bool = False,
) -> None:
    """Runs the cells that the folder lacks.

    Args:
        folder: Of the run; made if it is not there.
        cells: All cells that it should hold; others in it are left alone.
        settings: What decides the cells' results, as JSON can hold it; the folder keeps it.
        work: Does a cell.
        workers: Processes, of one thread each; they do not change the results.
        quiet: No progress bar.

    Raises:
        BenchmarkError: If the folder holds a run with other settings, or cells cannot be trained;
            then all others are done.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    claim(folder, settings)
    with locked_folder(folder):
        _run_missing(folder, cells, work, workers, quiet)


def _run_missing(
    folder: Path, cells: Sequence[Cell], work: Work, workers: int, quiet: bool
) -> None:
    (folder / "cells").mkdir(exist_ok=True)
    missing = [cell for cell in cells if not file_of(folder, cell).is_file()]
    missing.sort(key=lambda cell: -cell.cost)
    if not missing:
        return
    with shown(folder, len(cells), missing, quiet) as done:
        faults = []
        for cell, fault in finished(partial(_work, folder, work), missing, workers):
            done(cell)
            faults += [fault] if fault else []
    if faults:
        raise BenchmarkError(f"{len(faults)} of {len(missing)} cells failed, first {faults[0]}")


def claim(folder: Path, settings: dict[str, Any]) -> None:
    """Makes a folder a run's, or makes sure that it is.

    Raises:
        BenchmarkError: If it holds anything else.
    """
    file = folder / "run.json"
    if file.is_file():
        before = settings_of(folder)
        # As JSON would give it back: tuples as lists.
        now = json.loads(json.dumps(settings))
        for name in {**before, **now}:
            if before.get(name) != now.get(name):
                raise BenchmarkError(
                    f"{folder}: holds a run with {name} {before.get(name)}, not {now.get(name)}; "
                    "choose another --out or remove it"
                )
        return
    if not holds_nothing(folder):
        raise BenchmarkError(f"{folder}: is neither empty nor a run; choose another --out")
    with locked_folder(folder):
        write_text(file, json.dumps(settings, indent=2) + "\n")


def settings_of(folder: Path) -> dict[str, Any]:
    """The settings that a run was made with.

    Raises:
        BenchmarkError: If the folder holds none.
    """
    file = folder / "run.json"
    if not file.is_file():
        raise BenchmarkError(f"{folder}: is not the folder of a run, which holds run.json")
    try:
        settings = json_file.read(file)
    except JsonError as fault:
        raise BenchmarkError(f"{fault}; it is damaged: choose another --out") from None
    if not isinstance(settings, dict):
        raise BenchmarkError(f"{file}: should hold the settings of a run, by name")
    return settings


def _work(folder: Path, work: Work, cell: Cell) -> tuple[Cell, str | None]:
    """A cell that is over, with the line that says why it failed, if it did."""
    file = file_of(folder, cell)
    scratch = Scratch(file)
    try:
        result = work(cell, scratch)
    except (FittingError, FittingStateError) as fault:
        return cell, f"{cell.name}: {fault}"
    write(file, cell, result)
    scratch.remove()
    return cell, None
