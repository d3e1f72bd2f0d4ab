"""A disk that is full: one line that says so, nothing half, and the same command goes on."""

import errno
import importlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reliability.killed_commands import RECORD, ROOT, STUDY_FILE, TARGETS, TRAIN, Target

SIZES = {"record": "2m", "train": "5m", "evaluate": "200k", "study": "32k"}
"""Too small for what the commands write, and large enough for their first units but for a study."""

Run = Callable[[Target, Path], None]
Result = Callable[[Target, Path], object]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in a folder, in this process."""
    for folder in ("recorders", "evaluation"):  # of the drivers
        monkeypatch.syspath_prepend(str(ROOT / "tests" / folder))

    def run_in(target: Target, folder: Path) -> None:
        monkeypatch.chdir(folder)
        program, *words = target.words
        importlib.import_module(f"{program}.cli").main([*words, "--quiet"])

    return run_in


@pytest.fixture
def expected(run: Run, tmp_path: Path) -> Result:
    """What a command comes to, with what it reads laid beside the other folder."""

    def result(target: Target, beside: Path) -> object:
        for folder in {tmp_path, beside.parent}:
            (folder / "study.toml").write_text(STUDY_FILE)
        if target is TRAIN:
            made = tmp_path / "made"
            made.mkdir()
            run(RECORD, made)
            for folder in {tmp_path, beside.parent}:
                shutil.copytree(made / "data", folder / "demonstrations")
        peace = tmp_path / "peace"
        peace.mkdir()
        run(target, peace)
        return target.result(peace)

    return result


def refused(run: Run, target: Target, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of a command that ends with status 2."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        run(target, folder)
    error = capsys.readouterr().err
    assert end.value.code == 2, error
    assert error.count("\n") == 1, error
    assert error.startswith("error: "), error
    return error


@pytest.mark.slow
@pytest.mark.fault("disk full", "record, train, evaluate, study", "one line; goes on with room")
@pytest.mark.parametrize("name", SIZES)
def test_a_command_goes_on_once_there_is_room(
    name: str,
    run: Run,
    expected: Result,
    disk: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = TARGETS[name]
    folder = disk(SIZES[name])
    wanted = expected(target, folder)
    line = refused(run, target, folder, capsys)
    assert line.endswith(": No space left on device\n")
    assert (folder / line.removeprefix("error: ").partition(": ")[0]).parent.is_dir()
    assert not list(folder.rglob("*.part"))
    units = target.units(folder)
    assert units or name == "study"
    disk("64m")
    run(target, folder)
    assert target.result(folder) == wanted
    again = target.units(folder)
    assert all(again[unit] == before for unit, before in units.items() if unit in again)


class Full:
    """Lets the n-th file that is put on the disk find no room there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left, self._fsync = 0, os.fsync
        monkeypatch.setattr(os, "fsync", self.fsync)

    def fsync(self, file: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._fsync(file)


@pytest.mark.slow
@pytest.mark.fault("no room for the n-th file", "record, train", "one line; goes on with room")
@pytest.mark.parametrize("name", ["record", "train"])
def test_a_command_goes_on_wherever_the_disk_was_full(
    name: str,
    run: Run,
    expected: Result,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """First there is no room for the first file, then, going on, for the third, the seventh ..."""
    target = TARGETS[name]
    folder = tmp_path / "full"
    folder.mkdir()
    wanted = expected(target, folder)
    full = Full(monkeypatch)
    for attempt in range(1, 20):
        full.left = 2**attempt - 1
        try:
            run(target, folder)
        except SystemExit:
            assert "No space left on device" in capsys.readouterr().err
        else:
            break
    assert attempt > 2
    assert target.result(folder) == wanted
