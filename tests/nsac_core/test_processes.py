import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from nsac_core.benchmarks.processes import finished

WORK = """
import os, sys, time
from pathlib import Path
from nsac_core.benchmarks.processes import finished

def work(file):
    Path(file).write_text(str(os.getpid()))
    time.sleep(300)

list(finished(work, sys.argv[1:], 2))
"""


def wait_for(files: list[Path]) -> None:
    deadline = time.monotonic() + 180
    while not all(file.is_file() and file.read_text() for file in files):
        assert time.monotonic() < deadline, "no worker began"
        time.sleep(0.1)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with suppress(OSError):
        return b") Z " not in Path(f"/proc/{process}/stat").read_bytes()
    return False


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_end_with_the_process_that_began_them(tmp_path: Path) -> None:
    files = [tmp_path / "one", tmp_path / "two"]
    parent = subprocess.Popen([sys.executable, "-c", WORK, *map(str, files)])
    try:
        wait_for(files)
        workers = [int(file.read_text()) for file in files]
        assert all(alive(worker) for worker in workers)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 20
    while any(alive(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not any(alive(worker) for worker in workers)


def in_session(number: int) -> list[int]:
    """Processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and alive(int(entry.name)):
            with suppress(OSError):
                status = (entry / "stat").read_text().rpartition(")")[2].split()
                found += [int(entry.name)] * (int(status[3]) == number)
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_that_have_no_work_yet_end_with_the_process_that_began_them() -> None:
    command = [sys.executable, "-c", WORK, "/nowhere/one", "/nowhere/two"]
    parent = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    while len(children.read_text().split()) < 3:  # two workers, and loky's tracker
        assert parent.poll() is None
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 60
    while in_session(parent.pid) and time.monotonic() < deadline:
        time.sleep(0.2)
    left = in_session(parent.pid)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert not left


def test_an_interruption_is_heard_by_the_parent_alone() -> None:
    """A worker that hears it while it begins prints a traceback."""

    def is_heard(_: str) -> bool:
        return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN

    assert list(finished(is_heard, ["one", "two"], 2)) == [False, False]
    assert is_heard("parent")


def process_of(_: str) -> int:
    return os.getpid()


@pytest.mark.parametrize("items", [[], ["one"]])
def test_two_workers_with_less_than_two_items_need_no_other_process(items: list[str]) -> None:
    assert list(finished(process_of, items, 2)) == [os.getpid()] * len(items)
    time.sleep(0.5)  # what ends a worker without a parent would end this process
