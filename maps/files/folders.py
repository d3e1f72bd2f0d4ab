"""Folders that are made for what is written to them, and go again where nothing is."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from maps.files.present import is_file


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Makes a folder, with those above it; those that are new go again where no file came to be.

    Raises:
        OSError: It cannot be made, or lies in a data set, whose readers would stumble over it.
    """
    _refuse_in_data_set(folder)
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for each in new:
            _remove_without_files(each)


def _refuse_in_data_set(folder: Path) -> None:
    """Keeps the folder of a recorded data set, and above all that of its episodes, to itself."""
    place = Path(os.path.realpath(folder))  # resolve() has a fault of its own for links in a ring
    for above in place.parents:
        data = above / "data"
        is_data_set = is_file(data / "metadata.json") and is_file(data / "0" / "metadata.json")
        if is_data_set and (place.is_relative_to(data) or not place.exists()):
            words = f"lies in the data set {above}: choose another place"
            raise OSError(errno.EINVAL, words, str(folder))


def _remove_without_files(folder: Path) -> None:
    if any(names for _, _, names in os.walk(folder)):
        return
    for place, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):  # somebody else has just written there
            Path(place).rmdir()
