"""Files that are there whole or not at all: written aside, put on the disk, renamed."""

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from maps.files.folders import made_folder

_ASIDE = re.compile(r"\.(?P<name>.+)\.(?P<writer>\d+)\.nsac\.part")


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Gives a name beside a file to write to; what was written there takes the file's name.

    Where writing fails, what is there under the file's own name stays as it was, and nothing is
    left beside it. After a kill or a power cut, ``.NAME.PID.nsac.part`` may be left, until
    ``sweep``. What is no file, such as ``/dev/stdout`` or a pipe, is written to as it is; a link
    stays one.

    Args:
        file: The file; its folder must exist.

    Yields:
        Where to write.

    Raises:
        OSError: It is a folder, or cannot be written, as on a full disk; it names the file.
    """
    _refuse_folder(file)
    if _is_special(file):
        with named(file):
            yield file
        return
    target = _target(file)
    aside = _aside(target)
    try:
        with named(file, aside):
            yield aside
            _sync(aside)
            aside.replace(target)
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
    if file is not None:
        _refuse_folder(file)
    if file is None or _is_special(file):
        yield
        return
    with made_folder(file.parent):
        aside = _aside(_target(file))
        with named(file, aside):
            aside.touch()
        aside.unlink()
        yield


def sweep(output: Path) -> None:
    """Removes what processes that were killed have left half-written.

    Args:
        output: A folder, which is searched with all below it, or a file.
    """
    if output.is_dir():
        found = [Path(folder, name) for folder, _, names in os.walk(output) for name in names]
    else:
        target = _target(output)
        found = [path for path in target.parent.iterdir() if _file_of(path) == target.name]
    for path in found:
        match = _ASIDE.fullmatch(path.name)
        if match and not _is_alive(int(match["writer"])):
            with suppress(OSError):  # somebody else's, where we may not write
                path.unlink()


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


def _refuse_folder(file: Path) -> None:
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a file", str(file))


def _aside(file: Path) -> Path:
    return file.with_name(f".{file.name}.{os.getpid()}.nsac.part")


def _is_special(file: Path) -> bool:
    """Whether it is a device, a pipe or the like, which nothing may take the place of."""
    return file.exists() and not file.is_file() and not file.is_dir()


def _target(file: Path) -> Path:
    """The file that is written: where a link leads."""
    return file.resolve() if file.is_symlink() else file


def _is_alive(writer: int) -> bool:
    """Whether another process of this number runs here.

    Our own number is that of somebody before us: who clears a place has not yet written there.
    Windows does not tell, and lets nobody remove what is open.
    """
    if writer == os.getpid() or os.name != "posix":
        return False
    try:
        os.kill(writer, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _file_of(aside: Path) -> str | None:
    """Name of the file that is written here, if one is."""
    match = _ASIDE.fullmatch(aside.name)
    return match and match["name"]


def _sync(file: Path) -> None:
    """Puts a file on the disk before it is renamed, in case of a power cut."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
