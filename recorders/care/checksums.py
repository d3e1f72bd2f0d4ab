"""The checksums of a data set's files, in a file that ``sha256sum --check`` reads as well."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from policies.episode_files import MANIFEST, digest
from recorders.care.errors import CareError

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


def write(folder: Path, aside: Path, known: Mapping[str, str] | None = None) -> None:
    """Writes the manifest of a folder, whole or not at all.

    Files of episodes that it, or ``known``, lists already keep their checksum: what has changed
    since it was taken is still found.

    Args:
        folder: The data set's.
        aside: A folder on the same file system, to write in.
        known: Checksums of some files, by their path in the folder.
    """
    kept = {**read(folder), **(known or {})} if (folder / MANIFEST).exists() else (known or {})
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
    """SHA-256 of each file, as hexadecimal digits, by its path in the folder.

    Raises:
        CareError: The manifest is malformed; the message names the line.
    """
    path = folder / MANIFEST
    found = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise CareError(f"{path}: cannot be read ({fault})") from None
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise CareError(f"{path}, line {number}: expected 64 hexadecimal digits and a path")
        found[match[2]] = match[1]
    return found


def files(folder: Path) -> Iterator[str]:
    """Paths of all files in a folder but the manifest, sorted."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != MANIFEST:
            yield name


def _of_an_episode(name: str) -> bool:
    return name.partition("/")[0].isdecimal()
