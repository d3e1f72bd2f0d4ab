"""Files that are there whole or not at all: written aside, put on the disk, renamed."""

import errno
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
    aside = _aside(file)
    try:
        yield aside
        _sync(aside)
        aside.replace(file)
    except OSError as fault:
        if fault.errno is not None and fault.filename in (None, str(aside)):
            raise OSError(fault.errno, os.strerror(fault.errno), str(file)) from fault
        raise
    finally:
        aside.unlink(missing_ok=True)


def make_writable(file: Path) -> None:
    """Makes the folder of a file, and tries whether the file can be written, before long work.

    Raises:
        OSError: It cannot; it names the file.
    """
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a file", str(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = _aside(file)
    try:
        aside.touch()
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(file)) from fault
    aside.unlink()


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


def _aside(file: Path) -> Path:
    return file.with_name(f".{file.name}.{os.getpid()}{_ASIDE}")


def _sync(file: Path) -> None:
    """Puts a file on the disk before it is renamed, in case of a power cut."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
