"""Files that are there whole or not at all: written aside, put on the disk, renamed."""

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from maps.files.folders import made_folder

_ASIDE = re.compile(r"\.(?P<name>.+)\.\d+\.part")


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Gives a name beside a file to write to; what was written there takes the file's name.

    Where writing fails, what is there under the file's own name stays as it was, and nothing is
    left beside it. After a kill or a power cut, ``.NAME.PID.part`` may be left, until ``sweep``.

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


@contextmanager
def writable(file: Path | None) -> Iterator[None]:
    """Makes the folder of a file, and tries whether the file can be written, before long work.

    The folder goes again if nothing was written to it.

    Args:
        file: Which; None makes and tries nothing.

    Raises:
        OSError: It cannot; it names the file.
    """
    if file is None:
        yield
        return
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a file", str(file))
    with made_folder(file.parent):
        aside = _aside(file)
        with named(file, aside):
            aside.touch()
        aside.unlink()
        yield


def sweep(output: Path) -> None:
    """Removes what processes that were killed have left half-written.

    To be called by the only one who writes there.

    Args:
        output: A folder, which is searched with all below it, or a file.
    """
    if output.is_dir():
        found = [Path(folder, name) for folder, _, names in os.walk(output) for name in names]
    else:
        found = [path for path in output.parent.iterdir() if _file_of(path) == output.name]
    for path in found:
        if is_aside(path):
            path.unlink(missing_ok=True)


def is_aside(path: Path) -> bool:
    """Whether this is a file on its way to its name, or was when its writer was killed."""
    return _file_of(path) is not None


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


def copy_file(source: Path, file: Path) -> None:
    """Copies a file, whole or not at all.

    Raises:
        OSError: It cannot be read, or not be written; it names the one that cannot.
    """
    with source.open("rb") as opened, whole(file) as aside, aside.open("wb") as target:
        shutil.copyfileobj(opened, target)


def _aside(file: Path) -> Path:
    return file.with_name(f".{file.name}.{os.getpid()}.part")


def _file_of(aside: Path) -> str | None:
    """Name of the file that is written here, if one is."""
    match = _ASIDE.fullmatch(aside.name)
    return match and match["name"]


def _sync(file: Path) -> None:
    """Puts a file on the disk before it is renamed, in case of a power cut."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
