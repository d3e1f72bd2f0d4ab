"""How far the training of the expert is: a bar in a terminal, a line now and then in a log."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from maps.waiting import in_words

LOG_SECONDS = 30.0
"""Between two lines of a log, but for the first of each stage, which comes at once."""


class Display:
    """Shows on stderr what happens, how many decisions are made, how fast, and the time left.

    Args:
        total: Decisions altogether.
        quiet: Show nothing.
        console: Where, in place of stderr.
    """

    def __init__(self, total: int, quiet: bool, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._total, self._done, self._stage = total, 0, ""
        self._began: tuple[float, int] | None = None
        self._log = not quiet and not self._console.is_terminal
        self._last, self._told = 0.0, set[str]()
        self._bar = Progress(
            *(SpinnerColumn(), TextColumn("{task.description}"), BarColumn(8)),
            *(MofNCompleteColumn(), TextColumn("decisions, {task.fields[pace]}")),
            console=self._console,
            disable=quiet or self._log,
            # What is printed belongs above the bar, but not where a file is to have it.
            redirect_stdout=sys.stdout.isatty(),
        )
        self._task = self._bar.add_task("", total=total, pace=self._pace())

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def stage(self, words: str) -> None:
        """Is told what begins now."""
        self._stage = words
        self._show()

    def resume(self, done: int) -> None:
        """Is told how many decisions were made before."""
        self._done = done

    def decided(self, done: int) -> None:
        """Is told how many decisions there are by now."""
        if self._began is None:
            self._began = time.monotonic(), done
        self._done = done
        self._show()

    def _show(self) -> None:
        pace = self._pace()
        self._bar.update(self._task, description=self._stage, completed=self._done, pace=pace)
        now = time.monotonic()
        if self._log and (self._stage not in self._told or now - self._last >= LOG_SECONDS):
            line = f"{self._stage}: {self._done}/{self._total} decisions, {pace}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
            self._last, self._told = now, self._told | {self._stage}

    def _pace(self) -> str:
        """Of this process, updates and validations included, and the time left by it."""
        if self._began is None:
            return in_words(None)
        start, before = self._began
        made, seconds = self._done - before, time.monotonic() - start
        if not made or seconds <= 0:
            return in_words(None)
        left = (self._total - self._done) * seconds / made
        return f"{made / seconds:.0f} a second, {in_words(left)}"
