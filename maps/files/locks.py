"""One process at a time on one output; the second is told who is at work there."""

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from maps.files.folders import made_folder
from maps.files.whole import is_aside, named, sweep

_LOCK = ".lock"


class LockedError(OSError):
    """Another process is at work on the output."""


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keeps others out of a folder, which shows at once whether it can be written.

    It is made, with those above it, if it is not there, and those are removed again to which
    nothing was written. The lock is a hidden file in it. The kernel frees it however the process
    ends, even by ``kill -9``. Who holds it may take it once more, as a command does that calls
    another. What one that was killed has left half-written is removed.

    Raises:
        LockedError: Somebody is at work in it; the message names the process.
        OSError: It is a file, or cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is a file, expected a folder", str(folder))
    with made_folder(folder), _held(folder / _LOCK, folder):
        yield


@contextmanager
def locked_file(file: Path) -> Iterator[None]:
    """Keeps others from writing a file, and shows at once whether it can be written.

    As ``locked_folder``; the lock is a hidden file beside it.

    Raises:
        LockedError: Somebody is about to write it; the message names the process.
        OSError: It is a folder, or its folder cannot be written.
    """
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a file", str(file))
    with made_folder(file.parent), _held(file.with_name(f".{file.name}{_LOCK}"), file):
        yield


def holds_nothing(folder: Path) -> bool:
    """Whether there is nothing in a folder, or not even the folder.

    Locks do not count, nor does what somebody who was killed has left half-written.
    """
    return not folder.is_dir() or all(
        path.name.startswith(_LOCK) or is_aside(path) for path in folder.iterdir()
    )


@contextmanager
def _held(lock_file: Path, output: Path) -> Iterator[None]:
    lock = FileLock(lock_file.absolute(), is_singleton=True)
    if lock.is_locked:  # by this very thread, further out
        yield
        return
    _acquire(lock, lock_file, output)
    holder = _holder_file(lock_file)
    try:
        with named(output, holder):
            holder.write_text(f"{os.getpid()} {socket.gethostname()}", encoding="utf-8")
        sweep(output)
        yield
    finally:
        holder.unlink(missing_ok=True)
        with suppress(OSError):  # Windows does not remove what is open
            lock_file.unlink()
        lock.release()


def _acquire(lock: BaseFileLock, lock_file: Path, output: Path) -> None:
    try:
        lock.acquire(timeout=0)
        while not lock_file.exists():  # removed by its former holder after it was opened here
            lock.release()
            lock.acquire(timeout=0)
    except Timeout:
        raise LockedError(errno.EBUSY, _in_words(lock_file), str(output)) from None
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(output)) from fault


def _holder_file(lock_file: Path) -> Path:
    """Who holds the lock; another file, as some systems let nobody read one that is locked."""
    return lock_file.with_name(f"{lock_file.name}.holder")


def _in_words(lock_file: Path) -> str:
    try:
        pid, host = _holder_file(lock_file).read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        who = "another process"
    else:
        who = f"process {pid} on {host}"
    return f"{who} is at work on it: wait until it has ended, or choose another output"
