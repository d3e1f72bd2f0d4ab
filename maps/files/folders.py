"""Folders that are made for what is written to them, and go again where nothing is."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Makes a folder, with those above it; those that are new go again where no file came to be.

    Raises:
        OSError: It cannot be made.
    """
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for each in new:
            _remove_without_files(each)


def _remove_without_files(folder: Path) -> None:
    if any(names for _, _, names in os.walk(folder)):
        return
    for place, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):  # somebody else has just written there
            Path(place).rmdir()
