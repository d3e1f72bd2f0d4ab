"""Finished data sets: opened, and their episodes read as they were recorded, or not at all."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from minari import EpisodeData, MinariDataset

from maps.files import json_file
from maps.files.json_file import JsonError
from policies import checksums
from policies.minari_files import (
    METADATA,
    DemonstrationError,
    of_episode,
    open_minari,
    read_episode,
    rows,
)

MOST_STEPS = 1_000_000
"""Of an episode, which is five hours: whatever says more is damaged, and would fill the memory."""


@dataclass(frozen=True)
class DataSet:
    """A finished data set, its metadata read.

    Attributes:
        name: Its Minari id.
        root: Folder of the data sets.
        minari: As Minari reads it.
        metadata: Of the whole, as its file states them.
        entries: Metadata of each episode, likewise, in order.
        checksums: SHA-256 of each file, by its path in ``data``; none where it has none.
    """

    name: str
    root: Path
    minari: MinariDataset
    metadata: dict[str, Any]
    entries: tuple[dict[str, Any], ...]
    checksums: Mapping[str, str]

    @property
    def data(self) -> Path:
        """Folder of the episodes."""
        return self.root / self.name / "data"

    def check(self, number: int) -> None:
        """Compares an episode's files with their checksums, and its steps with its metadata.

        Raises:
            DemonstrationError: They differ, or a file cannot be read.
        """
        with of_episode(self.name, number):
            folder = self.data / str(number)
            names = (f"{number}/{path.name}" for path in sorted(folder.iterdir()))
            try:
                checksums.check(self.data, names, self.checksums)
            except OSError as fault:
                raise DemonstrationError(
                    f"episode {number} of {self.name}: {fault}; nsac-record check tells more"
                ) from None
            self._compare(number, rows(folder) - 1)

    def episode(self, number: int) -> EpisodeData:
        """One episode, whole, which is what was recorded as far as its checksums tell.

        Raises:
            DemonstrationError: As ``check``, or it cannot be read.
        """
        self.check(number)
        found = read_episode(self.minari, self.name, number)
        self._compare(number, len(found.actions))
        self._compare(number, len(found.observations) - 1)
        return found

    def drives(self) -> Iterator[tuple[str, int]]:
        """What each episode's frames and actions are told by: the SHA-256 of their file."""
        for number in range(len(self.entries)):
            for path in sorted((self.data / str(number)).glob("*.arrow")):
                known = self.checksums.get(f"{number}/{path.name}")
                yield known or checksums.digest(path), number

    def _compare(self, number: int, steps: int) -> None:
        stated = self.entries[number]["total_steps"]
        if steps != stated:
            held = f"{steps} step{'' if steps == 1 else 's'}"
            raise DemonstrationError(
                f"episode {number} of {self.name} holds {held}, its metadata say {stated}"
            )


def root_folder(data_root: Path | None = None) -> Path:
    """The folder of the data sets: as given, ``$MINARI_DATASETS_PATH``, or Minari's default."""
    default = os.environ.get("MINARI_DATASETS_PATH") or Path.home() / ".minari" / "datasets"
    return Path(data_root or default)


def tidy(name: str) -> str:
    """A Minari id without what a shell adds to a folder's name: ``./`` and a slash at the end."""
    return "/".join(PurePosixPath(name).parts)


def open_data_set(name: str, root: Path) -> DataSet:
    """The data set of that name, whose metadata are what was recorded.

    Args:
        name: Its Minari id.
        root: Folder of the data sets.

    Raises:
        DemonstrationError: It is unknown, unfinished or damaged, or its frames or actions have
            another shape.
    """
    minari = open_minari(name, root)
    data = root / name / "data"
    try:
        recorded = checksums.read(data)
        checksums.check(data, [METADATA], recorded)
        metadata = json_file.read(data / METADATA)
    except (OSError, JsonError) as fault:
        raise DemonstrationError(f"data set {name!r} in {root} is damaged: {fault}") from None
    there = len(minari.episode_indices)
    if not there:
        raise DemonstrationError(f"data set {name!r} has no episodes")
    if metadata.get("total_episodes") != there or minari.episode_indices[-1] != there - 1:
        raise DemonstrationError(
            f"data set {name!r} in {root}: its metadata say {metadata.get('total_episodes')} "
            f"episodes, but it holds {there}, the last number {minari.episode_indices[-1]}"
        )
    entries = tuple(_entry(data / str(i) / METADATA) for i in range(there))
    return DataSet(name, root, minari, metadata, entries, recorded)


def _entry(path: Path) -> dict[str, Any]:
    """An episode's metadata, with the one field that Minari gives every episode."""
    try:
        entry = json_file.read(path)
    except JsonError as fault:
        raise DemonstrationError(str(fault)) from None
    steps = entry.get("total_steps") if isinstance(entry, dict) else None
    if type(steps) is not int or not 1 <= steps <= MOST_STEPS:
        raise DemonstrationError(
            f"{path}, total_steps: {steps!r}, expected 1 to {MOST_STEPS}: nsac-record check lists "
            "what is wrong"
        )
    return entry  # type: ignore[no-any-return]
