"""Makes sure that the files of a recorded episode are what was recorded, before they are read."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

MANIFEST = "manifest.sha256"
"""Where ``nsac-record`` keeps the checksums of a data set, as ``sha256sum`` does."""


def digest(path: Path) -> str:
    """SHA-256 of a file, as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def recorded_digests(data: Path) -> dict[str, str]:
    """SHA-256 of each file in the folder of a data set, by its path there; none of older ones."""
    file = data / MANIFEST
    if not file.is_file():
        return {}
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return {line[66:]: line[:64] for line in lines}


def check_unchanged(data: Path, index: int, recorded: Mapping[str, str]) -> None:
    """Refuses an episode whose files are not those that were recorded.

    Raises:
        ValueError: One has another checksum; the message names it.
    """
    for file in sorted((data / str(index)).iterdir()):
        name = f"{index}/{file.name}"
        if digest(file) != recorded.get(name):
            raise ValueError(f"{name} is not what was recorded (other SHA-256)")


def check_arrow(data: Path, index: int) -> None:
    """Refuses tables that would crash the process, for their reader trusts what they say.

    Raises:
        pyarrow.ArrowException: A table is damaged.
    """
    for file in sorted((data / str(index)).glob("*.arrow")):
        with pa.memory_map(str(file)) as opened, pa.ipc.open_file(opened) as table:
            for number in range(table.num_record_batches):
                table.get_batch(number).validate(full=True)
