"""Killed at any moment, a replacement, a merge or an export leaves the old or the new, whole."""

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import minari
import pytest

from policies import demonstrations
from recorders import RecordConfig, record
from recorders.care.config import DropEpisodesConfig, ExportConfig, MergeConfig
from recorders.care.dropping import drop
from recorders.care.exporting import export_data_set
from recorders.care.merging import merge_data_sets
from recorders.care.stored import open_stored

MakeConfig = Callable[..., RecordConfig]
ONE, OTHER, NEW = "carracing/one-v0", "carracing/other-v0", "carracing/new-v0"
CRITICAL = [
    (Path, "rename"),
    (Path, "replace"),
    (Path, "mkdir"),
    (os, "link"),
    (os, "fsync"),
    (shutil, "rmtree"),
]


KilledAt = Callable[[int, Callable[[], object]], bool]


@pytest.fixture
def killed_at(arm: Callable[..., None]) -> KilledAt:
    """Works in a process that is killed before a change of its; whether it was."""

    def run(moment: int, work: Callable[[], object]) -> None:
        arm(CRITICAL, moment)
        work()

    def killed(moment: int, work: Callable[[], object]) -> bool:
        process = multiprocessing.get_context("fork").Process(target=run, args=(moment, work))
        process.start()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        return process.exitcode != 0

    return killed


def fingerprint(name: str) -> str:
    return demonstrations.load(name).fingerprint()


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_replacing_in_place(
    make: MakeConfig, root: Path, tmp_path: Path, killed_at: KilledAt
) -> None:
    record(make(out=ONE, episodes=2, max_steps=3))
    shutil.copytree(root, tmp_path / "before")
    config = DropEpisodesConfig(ONE, episodes=("0",), in_place=True, quiet=True)
    old = fingerprint(ONE)
    drop(config)
    new, moment = fingerprint(ONE), 0
    assert new != old
    while True:
        shutil.rmtree(root)
        shutil.copytree(tmp_path / "before", root)
        killed = killed_at(moment, lambda: drop(config))
        assert len(open_stored(ONE).entries) in (1, 2)
        assert fingerprint(ONE) in ((old, new) if killed else (new,)), moment
        assert not list((root / ONE).glob(".repl*"))
        if not killed:
            break
        moment += 1
    assert moment > 8


@pytest.mark.slow
def test_merging(make: MakeConfig, root: Path, killed_at: KilledAt) -> None:
    for name, seed in ((ONE, 1), (OTHER, 2)):
        record(make(out=name, episodes=1, max_steps=3, first_seed=seed))
    config = MergeConfig((ONE, OTHER), NEW, quiet=True)
    moment = 0
    while killed_at(moment, lambda: merge_data_sets(config)):
        if NEW in minari.list_local_datasets():
            assert demonstrations.load(NEW).steps == 6
            shutil.rmtree(root / NEW)
        merge_data_sets(config)
        assert demonstrations.load(NEW).steps == 6
        assert not (root / NEW / ".writing").exists()
        shutil.rmtree(root / NEW)
        moment += 1
    assert moment > 8


def test_exporting(make: MakeConfig, tmp_path: Path, killed_at: KilledAt) -> None:
    record(make(out=ONE, episodes=2, max_steps=3))

    def export(out: Path) -> int:
        return export_data_set(ExportConfig(ONE, "lerobot", out, quiet=True))

    export(tmp_path / "whole")
    expected, moment, out = files(tmp_path / "whole"), 0, tmp_path / "killed"
    while killed_at(moment, lambda: export(out)):
        export(out)
        assert files(out) == expected, moment
        shutil.rmtree(out)
        moment += 3
    assert moment > 8
