"""Checks what lies in a data set's folder: files, checksums, numbers of episodes, totals."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from maps.files import json_file
from maps.files.damaged import DamagedError
from policies import checksums
from policies.checksums import MANIFEST, digest
from recorders import replacing
from recorders.care import metadata_fields
from recorders.care.finding import Finding, of_data_set, of_episode
from recorders.care.progress import tracked

_MOST_LISTED = 10
EPISODE_FILES = {"metadata.json", "part-0.arrow"}


def leftovers(folder: Path) -> Iterator[Finding]:
    """Traces of commands that were interrupted."""
    if (folder / ".recording").exists():
        yield of_data_set(
            ".recording",
            "an interrupted recording: repeat its nsac-record command, or delete that folder",
        )
    if replacing.interrupted(folder):
        yield of_data_set("data", "an interrupted replacement: nsac-record info ends it")


def whole(data: Path, there: list[int]) -> Iterator[Finding]:
    """Numbers without a gap, and in each folder the files of an episode."""
    count, known = max(there, default=-1) + 1, set(there)
    if not there:
        yield of_data_set("episodes", "none")
    if count > len(there):
        gaps = (number for number in range(count) if number not in known)
        missing = _listed(list(islice(gaps, _MOST_LISTED)), count - len(there))
        yield of_data_set("episodes", f"{missing} of 0-{count - 1} missing")
    for number in there:
        names = {path.name for path in (data / str(number)).iterdir()}
        for name in sorted(EPISODE_FILES - names):
            yield of_episode(number, name, "missing")
        for name in sorted(names - EPISODE_FILES):
            yield of_episode(number, name, "does not belong there: Minari may read it as well")


def altered(data: Path, quiet: bool) -> Iterator[Finding]:
    """Files whose bytes are not those that were recorded."""
    try:
        listed = checksums.read(data)
    except DamagedError as fault:
        yield of_data_set(MANIFEST, str(fault))
        return
    there = set(checksums.files(data))
    for name in tracked(sorted(listed), len(listed), "checksums", quiet):
        if name not in there:
            yield _about(name, "missing, though its checksum is there")
        elif digest(data / name) != listed[name]:
            yield _about(name, "its bytes are not those that were recorded (SHA-256 differs)")
    for name in sorted(there - set(listed)):
        yield _about(name, "has no checksum: it was added afterwards")


def metadata(
    data: Path, name: str, there: list[int]
) -> tuple[dict[int, dict[str, Any]], list[Finding]]:
    """The metadata of the episodes where they can be read, and what is wrong with any metadata.

    Args:
        data: Folder of the episodes.
        name: The data set's Minari id.
        there: Numbers of the episodes.
    """
    total, found = _read_total(data, name)
    entries = {}
    for number in there:
        entry, faults = _read_entry(data, number)
        found += faults
        if entry is not None:
            entries[number] = entry
    if total is not None:
        found += _totals(total, there, entries)
    return entries, found


def _totals(
    total: dict[str, Any], there: list[int], entries: dict[int, dict[str, Any]]
) -> Iterator[Finding]:
    """The totals against what the episodes say of themselves, where all can be read."""
    steps = [entry.get("total_steps") for entry in entries.values()]
    counted = {"total_episodes": len(there)}
    if len(entries) == len(there) and all(isinstance(count, int) for count in steps):
        counted["total_steps"] = sum(count for count in steps if count is not None)
    for name, count in counted.items():
        if total.get(name) != count:
            what = f"{total.get(name)}, but the episodes come to {count}"
            yield of_data_set(f"metadata.json, {name}", what)


def _read_total(data: Path, name: str) -> tuple[dict[str, Any] | None, list[Finding]]:
    """A data set's metadata, or None where they cannot be read."""
    total, found = _read(data / "metadata.json", "data set")
    for field, what in metadata_fields.of_data_set(total or {}):
        found.append(of_data_set(f"metadata.json, {field}", what))
    if total is not None and total.get("dataset_id") != name:
        what = f"{total.get('dataset_id')}, but it lies in {name}: Minari does not list it"
        found.append(of_data_set("metadata.json, dataset_id", what))
    return total, found


def _read_entry(data: Path, number: int) -> tuple[dict[str, Any] | None, list[Finding]]:
    """An episode's metadata without what is wrong in them, or None where they cannot be read."""
    entry, found = _read(data / str(number) / "metadata.json", f"episode {number}")
    if entry is None:
        return None, found
    if entry.get("id") != number:
        what = f"{entry.get('id')}, but its folder is {number}"
        found.append(of_episode(number, "metadata.json, id", what))
    for field, what in list(metadata_fields.of_episode(entry)):
        found.append(of_episode(number, f"metadata.json, {field}", what))
        del entry[field]
    return entry, found


def _read(path: Path, where: str) -> tuple[dict[str, Any] | None, list[Finding]]:
    try:
        content = json_file.read(path)
    except json_file.JsonError as fault:
        return None, [Finding(where, path.name, str(fault).removeprefix(f"{path}: "))]
    if not isinstance(content, dict):
        return None, [Finding(where, path.name, "expected a JSON object")]
    return content, []


def _about(name: str, what: str) -> Finding:
    """A finding about a file, by its path in the data."""
    number, _, rest = name.partition("/")
    if rest and number.isdecimal():
        return of_episode(int(number), rest, what)
    return of_data_set(name, what)


def _listed(first: list[int], count: int) -> str:
    shown = ", ".join(map(str, first))
    return f"{shown} and {count - len(first)} more" if count > len(first) else shown
