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
        with named(file, aside):
            yield aside
            _sync(aside)
            aside.replace(file)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def named(output: Path, aside: Path | None = None) -> Iterator[None]:
    """Lets a fault of the operating system that names no file, or one aside, name the output.

    Args:
        output: What is written.
        aside: File or folder in which it is written.

    Raises:
        OSError: As it was raised, but for the name.
    """
    try:
        yield
    except OSError as fault:
        its_own = fault.filename is None or (aside and str(fault.filename).startswith(str(aside)))
        if fault.errno is None or not its_own:
            raise
        raise OSError(fault.errno, os.strerror(fault.errno), str(output)) from fault


def make_writable(file: Path) -> None:
    """Makes the folder of a file, and tries whether the file can be written, before long work.

    Raises:
        OSError: It cannot; it names the file.
    """
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a file", str(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = _aside(file)
    with named(file, aside):
        aside.touch()
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
