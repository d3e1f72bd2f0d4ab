"""Runs cells in processes, the longest first; what is done is kept, and never done again."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import joblib
import torch

from nsac_core.benchmarks.cells import Cell, Result, file_of, write
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.progress import Scratch, shown
from nsac_core.fitting import FittingError
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
    """
    claim(folder, settings)
    missing = [cell for cell in cells if not file_of(folder, cell).is_file()]
    missing.sort(key=lambda cell: -cell.cost)
    if not missing:
        return
    with shown(folder, len(cells), missing, quiet) as done:
        faults = []
        for cell, fault in _finished(folder, missing, work, workers):
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
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise BenchmarkError(f"{folder}: is neither empty nor a run; choose another --out")
    (folder / "cells").mkdir(parents=True)
    aside = file.with_suffix(".part")
    aside.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    aside.replace(file)


def settings_of(folder: Path) -> dict[str, Any]:
    """The settings that a run was made with.

    Raises:
        BenchmarkError: If the folder holds none.
    """
    try:
        settings = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        settings = None
    if not isinstance(settings, dict):
        raise BenchmarkError(f"{folder}: is not the folder of a run, which holds run.json")
    return settings


def _finished(
    folder: Path, cells: Sequence[Cell], work: Work, workers: int
) -> Iterator[tuple[Cell, str | None]]:
    """Yields each cell when it is over, with the line that says why it failed, if it did."""
    if workers == 1:
        yield from (_work(folder, cell, work) for cell in cells)
        return
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(
            n_jobs=min(workers, len(cells)),
            batch_size=1,
            pre_dispatch="n_jobs",  # none waits in the queue, where an interruption would trip
            return_as="generator_unordered",
        )
        yield from parallel(joblib.delayed(_work)(folder, cell, work) for cell in cells)


def _work(folder: Path, cell: Cell, work: Work) -> tuple[Cell, str | None]:
    file = file_of(folder, cell)
    scratch = Scratch(file)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more would change sums, and compete with the other processes
    try:
        result = work(cell, scratch)
    except (FittingError, FittingStateError) as fault:
        return cell, f"{cell.name}: {fault}"
    finally:
        torch.set_num_threads(threads)
    write(file, cell, result)
    scratch.remove()
    return cell, None
