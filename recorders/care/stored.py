"""A finished data set as it lies on the disk, for what looks after it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from minari import EpisodeData

from policies.data_sets import DataSet, open_data_set, root_folder, tidy
from recorders import replacing
from recorders.care import metadata_fields
from recorders.care.errors import CareError
from recorders.care.progress import tracked
from recorders.data_set import RecordedDataSet


def read_episodes(
    data: DataSet, numbers: Sequence[int], words: str, quiet: bool
) -> Iterator[tuple[int, EpisodeData]]:
    """Reads episodes one after the other, with a progress bar.

    Args:
        data: The data set.
        numbers: Which.
        words: What is done to them.
        quiet: Whether to show no bar.

    Raises:
        policies.demonstrations.DemonstrationError: One cannot be read, or is not what was recorded.
    """
    for number in tracked(numbers, numbers, words, quiet):
        yield number, data.episode(number)


def open_stored(name: str, data_root: Path | None = None) -> DataSet:
    """Opens a finished data set.

    Raises:
        policies.demonstrations.DemonstrationError: It is unknown, unfinished or damaged.
        CareError: A field of its metadata is of another type, or its name is no id.
        maps.files.locks.LockedError: It is being replaced by another process.
    """
    name, root = _inside(name), root_folder(data_root)
    if replacing.interrupted(root / name):
        with RecordedDataSet(root, name).locked():
            replacing.recover(root / name)
    return _read(name, root)


@contextmanager
def held(name: str, data_root: Path | None = None) -> Iterator[DataSet]:
    """Opens a finished data set, which nobody extends or replaces meanwhile.

    One in a folder that cannot be written to needs no lock, nor could it hold one.

    Raises:
        policies.demonstrations.DemonstrationError: As ``open_stored``, and so the others.
        maps.files.locks.LockedError: Another process records or replaces it.
    """
    name = _inside(name)
    folder = root_folder(data_root) / name
    if not name or not folder.is_dir() or not os.access(folder, os.W_OK):
        yield open_stored(name, data_root)
        return
    with RecordedDataSet(root_folder(data_root), name).locked():
        replacing.recover(folder)
        yield _read(name, root_folder(data_root))


def leads_out(name: str) -> bool:
    """Whether it is a path out of the folder of the data sets, and no Minari id."""
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts


def _inside(name: str) -> str:
    if leads_out(name):
        raise CareError(
            f"{name!r} is no data set's id such as carracing/privileged-v0; --data-root tells "
            "where the data sets lie"
        )
    return tidy(name)


def _read(name: str, root: Path) -> DataSet:
    data = open_data_set(name, root)
    _refuse(data.data, metadata_fields.of_data_set(data.metadata))
    for number, entry in enumerate(data.entries):
        _refuse(data.data / str(number), metadata_fields.of_episode(entry))
    return data


def _refuse(folder: Path, faults: Iterator[metadata_fields.Fault]) -> None:
    for field, what in faults:
        path = folder / "metadata.json"
        raise CareError(f"{path}, {field}: {what}: nsac-record check lists what is wrong")
