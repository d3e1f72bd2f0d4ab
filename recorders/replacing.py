"""Puts a new ``data`` folder in the place of an old one, so that no interruption loses either."""

import shutil
from pathlib import Path

_DATA, _NEW, _OLD = "data", ".replacement", ".replaced"


def replace_data(folder: Path, new: Path) -> None:
    """Replaces the data of a data set.

    Args:
        folder: Of the data set, which the caller has locked.
        new: The new data, whole, on the same file system.
    """
    new.rename(folder / _NEW)
    (folder / _DATA).rename(folder / _OLD)
    (folder / _NEW).rename(folder / _DATA)
    shutil.rmtree(folder / _OLD, ignore_errors=True)


def interrupted(folder: Path) -> bool:
    """Whether a replacement was interrupted there."""
    return (folder / _NEW).exists() or (folder / _OLD).exists()


def recover(folder: Path) -> None:
    """Ends a replacement that was interrupted, or undoes it where the old data are in place.

    Args:
        folder: Of the data set, which the caller has locked.
    """
    if (folder / _NEW).exists() and not (folder / _DATA).exists():
        (folder / _NEW).rename(folder / _DATA)
    for left in (_NEW, _OLD):
        shutil.rmtree(folder / left, ignore_errors=True)
