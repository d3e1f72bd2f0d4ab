"""A finished data set as it lies on the disk."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from minari import EpisodeData, MinariDataset

from maps.files import json_file
from policies.demonstrations import open_data_set, read_episode, root_folder
from recorders.care import episode_fields, replacing
from recorders.care.errors import CareError
from recorders.care.progress import tracked
from recorders.data_set import RecordedDataSet


@dataclass(frozen=True)
class StoredDataSet:
    """A data set, its metadata read.

    Attributes:
        name: Its Minari id.
        root: Folder of the data sets.
        minari: As Minari reads it.
        metadata: Of the whole, as its file states them.
        entries: Metadata of each episode, likewise.
    """

    name: str
    root: Path
    minari: MinariDataset
    metadata: dict[str, Any]
    entries: tuple[dict[str, Any], ...]

    @property
    def data(self) -> Path:
        """Folder of the episodes."""
        return self.root / self.name / "data"

    def episodes(
        self, numbers: Sequence[int], words: str, quiet: bool
    ) -> Iterator[tuple[int, EpisodeData]]:
        """Reads episodes one after the other, with a progress bar.

        Args:
            numbers: Which.
            words: What is done to them.
            quiet: Whether to show no bar.

        Raises:
            policies.demonstrations.DemonstrationError: One cannot be read.
        """
        for number in tracked(numbers, numbers, words, quiet):
            yield number, read_episode(self.minari, self.name, number)


def open_stored(name: str, data_root: Path | None = None) -> StoredDataSet:
    """Opens a finished data set.

    Raises:
        policies.demonstrations.DemonstrationError: It is unknown, unfinished or damaged.
        files.json_file.JsonError: A file of metadata cannot be read.
        CareError: It has no episodes, or its name is no id.
        maps.files.locks.LockedError: It is being replaced by another process.
    """
    name, root = _inside(name), root_folder(data_root)
    if replacing.interrupted(root / name):
        with RecordedDataSet(root, name).locked():
            replacing.recover(root / name)
    return _read(name, root)


@contextmanager
def held(name: str, data_root: Path | None = None) -> Iterator[StoredDataSet]:
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


def tidy(name: str) -> str:
    """A Minari id without what a shell adds to a folder's name: ``./`` and a slash at the end."""
    return "/".join(PurePosixPath(name).parts)


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


def _entry(path: Path) -> dict[str, Any]:
    """An episode's metadata, with the one field that Minari gives every episode."""
    entry: dict[str, Any] = json_file.read(path)
    steps = entry.get("total_steps") if isinstance(entry, dict) else None
    if type(steps) is not int or steps < 1:
        raise CareError(
            f"{path}, total_steps: {steps!r}, expected 1 or more: nsac-record check lists what is "
            "wrong"
        )
    for field, what in episode_fields.faults(entry):
        raise CareError(f"{path}, {field}: {what}: nsac-record check lists what is wrong")
    return entry


def _read(name: str, root: Path) -> StoredDataSet:
    minari = open_data_set(name, root)
    data = root / name / "data"
    entries = [_entry(data / str(i) / "metadata.json") for i in minari.episode_indices]
    if not entries:
        raise CareError(f"data set {name} in {root} has no episodes")
    return StoredDataSet(name, root, minari, json_file.read(data / "metadata.json"), tuple(entries))
