"""Makes a data set of episodes of others, which shares their files."""

import importlib.metadata
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minari.dataset.minari_dataset import parse_dataset_id

from maps.files import json_file
from maps.files.whole import copy_file
from policies import checksums
from policies.data_sets import DataSet
from recorders import replacing
from recorders.care.errors import CareError
from recorders.care.progress import tracked
from recorders.config import RecordConfig
from recorders.data_set import (
    CONFIGURATION,
    MADE_BY,
    RecordedDataSet,
    declare_namespaces,
    megabytes,
    sync,
)


@dataclass(frozen=True)
class Derivation:
    """What a derived data set is made of.

    Attributes:
        name: Its Minari id.
        episodes: Data set and number of each episode, in their new order.
        made_by: The command that makes it.
        copy: Whether files are copied, and not shared.
        quiet: Whether to show no progress bar.
    """

    name: str
    episodes: Sequence[tuple[DataSet, int]]
    made_by: str
    copy: bool
    quiet: bool

    @property
    def sources(self) -> list[DataSet]:
        """The data sets, each once."""
        return list({source.name: source for source, _ in self.episodes}.values())


@contextmanager
def claimed(name: str, root: Path) -> Iterator[RecordedDataSet]:
    """Holds the place of a new data set alone.

    Args:
        name: Its Minari id.
        root: Folder of the data sets.

    Raises:
        CareError: There is one of that name.
        recorders.config.RecordError: Minari refuses the name.
        maps.files.locks.LockedError: Another process makes it.
        OSError: It cannot be written.
    """
    RecordConfig(out=name).check()
    new = RecordedDataSet(root, name)
    with new.locked():
        replacing.recover(new.folder)
        if new.finished.exists() or new.growing.exists():
            raise CareError(f"data set {name} exists in {root}: choose another --out")
        yield new


def make_new(derivation: Derivation, new: RecordedDataSet) -> None:
    """Makes a new data set, which appears whole or not at all, in the place that is claimed."""
    try:
        with new.temporary_folder() as aside:
            built = build(derivation, aside)
            namespace = parse_dataset_id(new.name)[0]
            if namespace is not None:
                declare_namespaces(new.folder, namespace)
            built.rename(new.finished)
    finally:
        shutil.rmtree(new.aside, ignore_errors=True)


def build(derivation: Derivation, aside: Path) -> Path:
    """Writes the data of a derived data set.

    Args:
        derivation: What of.
        aside: An empty folder.

    Returns:
        The folder of the data, in it.

    Raises:
        policies.demonstrations.DemonstrationError: An episode is not what was recorded.
    """
    data = aside / "data"
    data.mkdir()
    known: dict[str, str] = {}
    pairs = tracked(
        enumerate(derivation.episodes), derivation.episodes, "writing", derivation.quiet
    )
    for number, (source, old) in pairs:
        source.check(old)
        for path in _link_episode(source, old, data / str(number), derivation.copy):
            if f"{old}/{path.name}" in source.checksums:
                known[f"{number}/{path.name}"] = source.checksums[f"{old}/{path.name}"]
        _write_json(data / str(number) / "metadata.json", _entry(source, old, number))
    _write_json(data / "metadata.json", _metadata(derivation, data))
    checksums.write(data, aside, known)
    return data


def _link_episode(source: DataSet, old: int, folder: Path, copy: bool) -> list[Path]:
    """Shares an episode's files, or copies them where that is wanted or they cannot be shared."""
    folder.mkdir()
    written = []
    for path in sorted((source.data / str(old)).iterdir()):
        if path.name == "metadata.json":
            continue
        target = folder / path.name
        if not copy:
            with suppress(OSError):
                os.link(path, target)
        if not target.exists():
            copy_file(path, target)
        written.append(target)
    return written


def _entry(source: DataSet, old: int, number: int) -> dict[str, Any]:
    """An episode's metadata, which say where it was recorded first."""
    entry = source.entries[old]
    origin = entry.get("source", {"data_set": source.name, "episode": old})
    return {**entry, "id": number, "source": origin}


def _metadata(derivation: Derivation, data: Path) -> dict[str, Any]:
    sources = derivation.sources
    entries = [source.entries[old] for source, old in derivation.episodes]
    drivers = dict.fromkeys(str(source.metadata.get("algorithm_name", "")) for source in sources)
    recordings: dict[str, Any] = {}
    for source in sources:
        recordings |= _recordings(source)
    combined = {"combined_datasets": [source.name for source in sources]}
    return {
        **sources[0].metadata,
        **(combined if len(sources) > 1 else {}),
        "dataset_id": derivation.name,
        "minari_version": importlib.metadata.version("minari"),
        "algorithm_name": ", ".join(name for name in drivers if name),
        "description": f"CarRacing demonstrations recorded as {', '.join(recordings)}",
        "total_episodes": len(entries),
        "total_steps": sum(int(entry["total_steps"]) for entry in entries),
        "dataset_size": megabytes(data),
        MADE_BY: derivation.made_by,
        "recordings": recordings,
    }


def _recordings(source: DataSet) -> dict[str, Any]:
    """How each recording was made that a data set holds episodes of."""
    path = source.data / CONFIGURATION
    if path.is_file():
        return {source.name: json_file.read(path)}
    recordings: dict[str, Any] = source.metadata.get("recordings", {})
    return recordings


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
    sync(path)
