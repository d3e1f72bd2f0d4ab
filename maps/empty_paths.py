"""Refuses empty paths: an unset variable of a shell is not meant to be the working folder."""

from collections.abc import Iterator, Sequence
from pathlib import Path


def check_paths(arguments: Sequence[str], settings: object) -> None:
    """Checks that no option that takes a path is given an empty one.

    Args:
        arguments: Of a command line.
        settings: What was made of them, a dataclass.

    Raises:
        ValueError: One is; in one line that names the option.
    """
    for option in _emptied(arguments):
        value = settings
        for name in option.removeprefix("--").replace("-", "_").split("."):
            value = getattr(value, name, None)
        if any(isinstance(part, Path) for part in (value if isinstance(value, tuple) else [value])):
            raise ValueError(f"{option} is empty, expected a path (the working folder is .)")


def _emptied(arguments: Sequence[str]) -> Iterator[str]:
    """Options with an empty value, as ``--out ""`` or ``--out=``."""
    option = ""
    for word in arguments:
        if word.startswith("--"):
            option, equals, value = word.partition("=")
            if equals and not value:
                yield option
        elif not word:
            yield option
