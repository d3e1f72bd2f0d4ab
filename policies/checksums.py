"""The checksums of a data set's files, in a file that ``sha256sum --check`` reads as well."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from maps.files import text_file
from maps.files.damaged import DamagedError
from maps.files.text_file import TextFileError

MANIFEST = "manifest.sha256"
"""Where ``nsac-record`` keeps them, in the folder of the episodes."""

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


def digest(path: Path) -> str:
    """SHA-256 of a file, as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(folder: Path, aside: Path, known: Mapping[str, str] | None = None) -> None:
    """Writes the manifest of a folder, whole or not at all.

    Files of episodes that it, or ``known``, lists already keep their checksum: what has changed
    since it was taken is still found.

    Args:
        folder: The data set's.
        aside: A folder on the same file system, to write in.
        known: Checksums of some files, by their path in the folder.

    Raises:
        DamagedError: The one that is there is malformed.
    """
    kept = {**read(folder), **(known or {})}
    lines = [
        f"{kept[name] if _of_an_episode(name) and name in kept else digest(folder / name)}  {name}"
        for name in files(folder)
    ]
    part = aside / MANIFEST
    with part.open("w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(folder / MANIFEST)


def read(folder: Path) -> dict[str, str]:
    """SHA-256 of each file, by its path in the folder; none where there is no manifest.

    Raises:
        DamagedError: The manifest is malformed, or empty, which is none that anybody wrote.
    """
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        lines = text_file.read(path).splitlines()
    except TextFileError as fault:
        raise DamagedError(str(fault)) from None
    found = {}
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise DamagedError(f"{path}, line {number}: expected 64 hexadecimal digits and a path")
        found[match[2]] = match[1]
    if not found:
        raise DamagedError(f"{path}: is empty, expected the checksum of every file")
    return found


def check(folder: Path, names: Iterable[str], recorded: Mapping[str, str]) -> None:
    """Refuses files that are not those that were recorded.

    Args:
        folder: The data set's.
        names: Their paths in it.
        recorded: What ``read`` gave; nothing is refused where that is nothing.

    Raises:
        DamagedError: One has another checksum, or none; the message names it.
        OSError: One cannot be read.
    """
    for name in names if recorded else ():
        if name not in recorded:
            raise DamagedError(f"{name} has no checksum: it was added afterwards")
        if digest(folder / name) != recorded[name]:
            raise DamagedError(f"{name} is not what was recorded (other SHA-256)")


def files(folder: Path) -> Iterator[str]:
    """Paths of all files in a folder but the manifest, sorted."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != MANIFEST:
            yield name


def _of_an_episode(name: str) -> bool:
    return name.partition("/")[0].isdecimal()
