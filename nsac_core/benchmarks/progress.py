"""How far the cells of a run are: counts that their processes leave in files, and the bar."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from maps.files.whole import named
from nsac_core.benchmarks.cells import Cell, file_of
from nsac_core.fitting import Epoch


class Scratch:
    """Files of a cell that is under way.

    Args:
        file: Of the cell, beside which they lie.

    Attributes:
        state: Where the training may keep its state.
    """

    def __init__(self, file: Path) -> None:
        self.state = file.with_suffix(".state")
        self._epochs = file.with_suffix(".epochs")

    def __call__(self, epoch: Epoch) -> None:
        """Notes that an epoch is over; a callback of ``nsac_core.fitting.fit``."""
        with named(self._epochs):
            self._epochs.write_text(str(epoch.number), encoding="utf-8")

    def epochs(self) -> int:
        """Epochs that are over."""
        try:
            return int(self._epochs.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # not begun, or just being written
            return 0

    def remove(self) -> None:
        """Removes the files."""
        for file in (self.state, self._epochs):
            file.unlink(missing_ok=True)


@contextmanager
def shown(
    folder: Path, total: int, missing: Sequence[Cell], quiet: bool
) -> Iterator[Callable[[Cell], None]]:
    """Shows how many cells are over and how much of the work, epoch by epoch.

    Args:
        folder: Of the run.
        total: Cells of the run.
        missing: Those to do.
        quiet: Shows nothing.

    Yields:
        What to call with a cell that is over.
    """
    over: set[str] = set()
    progress = Progress(
        TextColumn("training"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %, {task.fields[cells]} cells"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=quiet,
    )
    with progress:
        task = progress.add_task("", total=sum(cell.cost for cell in missing), cells="")

        def refresh() -> None:
            done = sum(_cost_so_far(folder, cell, over) for cell in missing)
            finished = f"{total - len(missing) + len(over)}/{total}"
            progress.update(task, completed=done, cells=finished)

        def finish(cell: Cell) -> None:
            over.add(cell.name)
            refresh()

        with _every_second(refresh):
            yield finish


def _cost_so_far(folder: Path, cell: Cell, over: set[str]) -> float:
    if cell.name in over:
        return cell.cost
    return Scratch(file_of(folder, cell)).epochs() * cell.contender.cost


@contextmanager
def _every_second(refresh: Callable[[], None]) -> Iterator[None]:
    """Calls something now and each second, on another thread, for as long as this is open."""
    stop = threading.Event()

    def repeat() -> None:
        while not stop.wait(1.0):
            refresh()

    refresh()
    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
