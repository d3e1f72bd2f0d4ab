"""One process at a time on one output."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from maps.files.locks import LockedError, holds_nothing, locked_file, locked_folder

HOLD = """
import sys, time
from pathlib import Path
from maps.files.locks import locked_folder
with locked_folder(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""
WRITE_HALF = """
import os, sys
from pathlib import Path
from maps.files.whole import whole
with whole(Path(sys.argv[1])) as aside:
    aside.write_text("half")
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def hold() -> Iterator[Callable[[Path], "subprocess.Popen[str]"]]:
    """Another process that holds a folder."""
    started: list[subprocess.Popen[str]] = []

    def start(folder: Path) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", HOLD, str(folder)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout is not None
        assert started[-1].stdout.readline() == "held\n"
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_second_process_is_told_who_holds_a_folder(
    tmp_path: Path, hold: Callable[[Path], "subprocess.Popen[str]"]
) -> None:
    process = hold(tmp_path)
    with pytest.raises(LockedError) as fault, locked_folder(tmp_path):
        pass
    assert fault.value.filename == str(tmp_path)
    assert f"process {process.pid} on {os.uname().nodename} is at work" in str(fault.value)


def test_the_kernel_frees_the_lock_of_a_process_that_is_killed(
    tmp_path: Path, hold: Callable[[Path], "subprocess.Popen[str]"]
) -> None:
    process = hold(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with locked_folder(tmp_path):
        pass


def test_who_holds_a_lock_may_take_it_again_and_keeps_it(tmp_path: Path) -> None:
    file = tmp_path / "policy.safetensors"
    with locked_file(file):
        with locked_file(file):
            pass
        assert in_another_thread(file) is LockedError
    assert in_another_thread(file) is None


def in_another_thread(file: Path) -> type[BaseException] | None:
    found: list[type[BaseException]] = []
    done = Event()

    def take() -> None:
        try:
            with locked_file(file):
                pass
        except LockedError as fault:
            found.append(type(fault))
        done.set()

    Thread(target=take).start()
    assert done.wait(10)
    return found[0] if found else None


def test_a_file_is_no_folder_and_the_reverse(tmp_path: Path) -> None:
    file = tmp_path / "runs"
    file.touch()
    with (
        pytest.raises(NotADirectoryError, match="is a file, expected a folder"),
        locked_folder(file),
    ):
        pass
    with pytest.raises(IsADirectoryError, match="is a folder"), locked_file(tmp_path):
        pass


def half_written(file: Path) -> Path:
    """What a process leaves that is killed while it writes the file."""
    before = set(file.parent.iterdir())
    process = subprocess.run([sys.executable, "-c", WRITE_HALF, str(file)], check=False)
    assert process.returncode == -signal.SIGKILL
    (left,) = set(file.parent.iterdir()) - before
    return left


def test_the_next_one_clears_what_a_killed_one_has_left(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    of_others = [tmp_path / ".holiday.mp4.part", tmp_path / ".backup.77.part"]
    # Process 1 is at work.
    at_work = tmp_path / "figures" / ".laps.parquet.1.nsac.part"
    for file in (*of_others, at_work):
        file.touch()
    policy, other = half_written(tmp_path / "policy"), half_written(tmp_path / "policy.2")
    assert policy.read_text() == "half"
    figure = half_written(tmp_path / "figures" / "returns.png")
    with locked_file(tmp_path / "policy"):
        assert (policy.exists(), other.exists(), figure.exists()) == (False, True, True)
    with locked_folder(tmp_path):
        assert (other.exists(), figure.exists()) == (False, False)
    assert all(file.exists() for file in (*of_others, at_work))


def test_what_a_killed_one_has_left_is_nothing(tmp_path: Path) -> None:
    half_written(tmp_path / "config.json")
    assert holds_nothing(tmp_path)


def test_a_lock_is_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    assert holds_nothing(folder)
    with locked_folder(folder):
        assert folder.is_dir()
        assert holds_nothing(folder)
    assert not folder.exists()
    with locked_folder(folder):
        (folder / "laps.parquet").touch()
    assert not holds_nothing(folder)
