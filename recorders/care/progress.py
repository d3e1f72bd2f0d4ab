"""How far a long operation has come, on stderr."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import track

Item = TypeVar("Item")


def tracked(
    items: Iterable[Item], total: Sequence[object] | int, words: str, quiet: bool
) -> Iterator[Item]:
    """The items, with a bar that grows as they are consumed.

    Args:
        items: What is worked on.
        total: How many they are, or a sequence as long.
        words: What is done to them.
        quiet: Whether to show no bar.
    """
    count = total if isinstance(total, int) else len(total)
    yield from track(
        items, words, total=count, console=Console(stderr=True), disable=quiet, transient=True
    )
