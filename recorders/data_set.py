"""A Minari data set that grows by whole episodes and survives being killed at any moment.

While it grows it lies in a hidden folder where Minari finds no data set at all; each episode is
written aside and renamed into it; once all are there, the totals are written and the folder is
renamed to ``data``, where Minari looks. Every rename is atomic.
"""

import contextlib
import dataclasses
import importlib.metadata
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_dataset import parse_dataset_id
from minari.dataset.minari_storage import MinariStorage

from maps.files import json_file
from maps.files.json_file import JsonError
from maps.files.locks import locked_folder
from maps.files.whole import named, write_text
from policies import checksums
from policies.protocol import ACTION_HIGH, ACTION_LOW
from recorders import replacing
from recorders.config import WORLD, RecordConfig, RecordError
from recorders.episode import Episode

FRAMES = spaces.Box(0, 255, (84, 84), np.uint8)
ACTIONS = spaces.Box(ACTION_LOW, ACTION_HIGH, dtype=np.float32)
CONFIGURATION = "recording.json"
MADE_BY = "made_by"
"""Field of a data set's metadata where it was made of others: the command."""


class RecordedDataSet:
    """One data set on its way from the first episode to the last.

    Attributes:
        folder: Folder of the data set, as its Minari id says.
        growing: Where the episodes gather before the data set is finished.
        finished: Where Minari finds it once it is.
        aside: Where it is written to before anything is renamed into its place.
    """

    def __init__(self, root: Path, name: str) -> None:
        self.name = name
        self.folder = root / name
        self.growing = self.folder / ".recording"
        self.finished = self.folder / "data"
        self.aside = self.folder / ".writing"

    @contextlib.contextmanager
    def opened(self, config: RecordConfig) -> Iterator[list[int]]:
        """Holds the data set alone, begun or resumed.

        Yields:
            The episodes that are missing, in order; none where the data set is finished.

        Raises:
            RecordError: It was recorded with another configuration, or holds more episodes than
                asked for.
            maps.files.locks.LockedError: Another process records it just now.
            OSError: It cannot be written.
        """
        new = not self.folder.exists()
        with self.locked():
            try:
                yield self._missing(config)
            finally:
                if new and not self._episodes_anywhere():
                    for folder in (self.growing, self.aside):
                        shutil.rmtree(folder, ignore_errors=True)

    def write(self, episode: Episode) -> None:
        """Adds one episode, whole; one that is there already is kept."""
        target = self.growing / str(episode.index)
        with self.temporary_folder() as name:
            storage = _new_storage(name)
            storage.update_episodes([_buffer(episode)])
            storage.update_episode_metadata([episode.metadata], [episode.index])
            written = name / str(episode.index)
            for path in written.iterdir():
                sync(path)
            try:
                written.rename(target)
            except OSError:
                # A process whose parent was killed may have finished the same episode meanwhile.
                if not target.exists():
                    raise

    def finish(self, config: RecordConfig) -> None:
        """Writes the totals and puts the data set where Minari finds it."""
        namespace = parse_dataset_id(self.name)[0]
        if namespace is not None:
            declare_namespaces(self.folder, namespace)
        entries = [
            _read_json(self.growing / str(i) / "metadata.json") for i in range(config.episodes)
        ]
        with self.temporary_folder() as name:
            storage = _new_storage(name, config)
            storage.update_metadata(
                {
                    "dataset_id": self.name,
                    "minari_version": importlib.metadata.version("minari"),
                    "algorithm_name": config.driver,
                    "description": "CarRacing demonstrations recorded by nsac-record",
                    "total_episodes": len(entries),
                    "total_steps": sum(int(entry["total_steps"]) for entry in entries),
                    "dataset_size": megabytes(self.growing),
                }
            )
            (name / "metadata.json").replace(self.growing / "metadata.json")
            checksums.write(self.growing, name)
        shutil.rmtree(self.aside, ignore_errors=True)
        self.growing.rename(self.finished)

    def _missing(self, config: RecordConfig) -> list[int]:
        shutil.rmtree(self.aside, ignore_errors=True)
        replacing.recover(self.folder)
        if not self.growing.exists() and not self.finished.exists():
            self._begin(config)
        existing = self.growing if self.growing.exists() else self.finished
        self._compare(existing / CONFIGURATION, config.content())
        there = {int(path.name) for path in existing.iterdir() if path.name.isdecimal()}
        if existing == self.finished and len(there) < config.episodes:
            self.finished.rename(self.growing)
        if there - set(range(config.episodes)):
            raise RecordError(
                f"data set {self.name} holds {len(there)} episodes, more than the "
                f"{config.episodes} asked for"
            )
        return [i for i in range(config.episodes) if i not in there]

    def _begin(self, config: RecordConfig) -> None:
        with self.temporary_folder() as name:
            begun = name / "recording"
            begun.mkdir()
            (begun / CONFIGURATION).write_text(json.dumps(config.content(), indent=1) + "\n")
            begun.rename(self.growing)

    def _compare(self, path: Path, content: dict[str, Any]) -> None:
        if not path.is_file():
            maker = _maker(path.with_name("metadata.json"))
            raise RecordError(f"data set {self.name} exists and was {maker}: choose another --out")
        stored = _read_json(path)
        for key in ("driver", *sorted(stored.keys() | content.keys())):
            if stored.get(key) != content.get(key):
                raise RecordError(
                    f"data set {self.name} was recorded with {key} = {stored.get(key)}, not "
                    f"{content.get(key)}: choose another --out or delete {self.folder}"
                )

    def _episodes_anywhere(self) -> bool:
        return any(any(folder.glob("[0-9]*")) for folder in (self.growing, self.finished))

    @contextlib.contextmanager
    def temporary_folder(self) -> Iterator[Path]:
        """A folder on the same file system, cleared away when the recording is next opened."""
        with named(self.folder, self.aside):
            self.aside.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.aside, ignore_cleanup_errors=True) as name:
                yield Path(name)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the data set alone; the kernel frees the lock even of a process that is killed.

        Raises:
            maps.files.locks.LockedError: Another process holds it.
            OSError: It cannot be written.
        """
        with locked_folder(self.folder):
            yield


def _new_storage(folder: Path, config: RecordConfig | None = None) -> MinariStorage:
    spec = None
    if config is not None:
        kwargs = {"renderer": config.renderer, "observation": "gray84"}
        spec = dataclasses.replace(gymnasium.spec(WORLD), kwargs=kwargs)
    return MinariStorage.new(
        folder, FRAMES, ACTIONS, env_spec=spec, data_format="arrow", jpeg_encoding=False
    )


def _buffer(episode: Episode) -> EpisodeBuffer:
    """Minari's buffer; it wants infos of one number a step as lists, and others as arrays."""
    return EpisodeBuffer(
        id=episode.index,
        seed=episode.seed,
        observations=episode.frames,
        actions=episode.actions,
        rewards=episode.rewards.tolist(),
        terminations=episode.terminations.tolist(),
        truncations=episode.truncations.tolist(),
        infos={
            name: values if values.ndim > 1 else values.tolist()
            for name, values in episode.infos.items()
        },
    )


def _maker(metadata: Path) -> str:
    """Who made a data set that is no recording, in words."""
    made_by = _read_json(metadata).get(MADE_BY) if metadata.is_file() else None
    return f"made by {made_by}, which cannot be extended" if made_by else "not made by nsac-record"


def declare_namespaces(folder: Path, namespace: str) -> None:
    """Gives each parent folder the file by which Minari lists namespaces."""
    for parent in list(folder.parents)[: namespace.count("/") + 1]:
        path = parent / "namespace_metadata.json"
        if not path.exists():
            write_text(path, "{}")


def megabytes(data: Path) -> float:
    """Size of all episodes, as Minari's metadata state it."""
    files = [path for path in data.glob("[0-9]*/*") if path.is_file()]
    return round(sum(path.stat().st_size for path in files) / 1e6, 1)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json_file.read(path)
    except JsonError as fault:
        raise RecordError(f"{fault}: damaged; delete its folder, or choose another --out") from None
    if not isinstance(content, dict):
        raise RecordError(f"{path}: should hold fields by name; it is damaged")
    return content


def sync(path: Path) -> None:
    """Puts a file on the disk before its folder is renamed, in case of a power cut."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
