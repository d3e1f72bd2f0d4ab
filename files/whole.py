"""Files that are there whole or not at all: written aside, put on the disk, renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ASIDE = ".part"


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Gives a name beside a file to write to; what was written there takes the file's name.

    Where writing fails, what is there under the file's own name stays as it was, and nothing is
    left beside it. After a kill or a power cut, ``.NAME.PID.part`` may be left.

    Args:
        file: The file; its folder must exist.

    Yields:
        Where to write.

    Raises:
        OSError: It cannot be written, as on a full disk; it names the file.
    """
    aside = file.with_name(f".{file.name}.{os.getpid()}{_ASIDE}")
    try:
        yield aside
        _sync(aside)
        aside.replace(file)
    except OSError as fault:
        if fault.filename is None and fault.errno is not None:
            raise OSError(fault.errno, os.strerror(fault.errno), str(file)) from fault
        raise
    finally:
        aside.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Removes what processes that were killed have left half-written anywhere in a folder.

    To be called by the only one who writes there.
    """
    for left in folder.rglob(f".*{_ASIDE}"):
        left.unlink(missing_ok=True)


def write_text(file: Path, text: str) -> None:
    """Writes a text in UTF-8, whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    write_bytes(file, text.encode())


def write_bytes(file: Path, content: bytes) -> None:
    """Writes bytes, whole or not at all.

    Raises:
        OSError: They cannot be written.
    """
    with whole(file) as aside:
        aside.write_bytes(content)


def _sync(file: Path) -> None:
    """Puts a file on the disk before it is renamed, in case of a power cut."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
