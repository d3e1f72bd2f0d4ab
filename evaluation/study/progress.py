"""Progress of a study: a bar in a terminal, a line now and then in a log."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from evaluation.study.drive_unit import Driven
from evaluation.study.estimate import Estimate
from maps.waiting import in_words

LOG_SECONDS = 60.0
"""Between two lines of a log."""

Done = Callable[[Driven], None]


@contextmanager
def shown(estimate: Estimate, done: int, total: int, quiet: bool) -> Iterator[Done]:
    """Shows progress while it is told of the units that are done.

    Args:
        estimate: Of the time left; learns from each unit.
        done: Laps done before.
        total: Laps altogether.
        quiet: Show nothing.
    """
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield _Log(estimate, done, total, None if quiet else console)
        return
    columns = (
        *(TextColumn("driving"), BarColumn(), MofNCompleteColumn(), TextColumn("laps,")),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=total, completed=done, left=in_words(estimate.seconds))

        def advance(driven: Driven) -> None:
            estimate.drop(driven.unit)
            estimate.learn(driven.unit, driven.seconds)
            laps = len(driven.unit.chunk.tracks)
            progress.update(task, advance=laps, left=in_words(estimate.seconds))

        yield advance


class _Log:
    """Writes a line every minute; the first when something is known of the time left."""

    def __init__(self, estimate: Estimate, done: int, total: int, console: Console | None) -> None:
        self.estimate, self.done, self.total, self.console = estimate, done, total, console
        self.last = -LOG_SECONDS

    def __call__(self, driven: Driven) -> None:
        self.estimate.drop(driven.unit)
        self.estimate.learn(driven.unit, driven.seconds)
        self.done += len(driven.unit.chunk.tracks)
        now = time.monotonic()
        if self.console is not None and now - self.last >= LOG_SECONDS:
            left = in_words(self.estimate.seconds)
            self.console.print(f"driving {self.done}/{self.total} laps, {left}", markup=False)
            self.last = now
