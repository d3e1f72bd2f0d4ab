"""A recording survives being killed at any moment, and never shows wrong counts."""

import hashlib
import multiprocessing
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import minari
import pytest

import maps.store
import policies
from maps.files.locks import LockedError
from recorders import RecordConfig, RecordError, record
from recorders.data_set import RecordedDataSet
from recorders.episode import Episode

MakeConfig = Callable[..., RecordConfig]
NAME = "carracing/test-v0"
EPISODES = 2
PRETRAINED = Path(policies.__file__).parent / "pretrained"
CRITICAL = [
    (Path, "rename"),
    (Path, "replace"),
    (Path, "mkdir"),
    (Path, "write_text"),
    (os, "fsync"),
    (shutil, "rmtree"),
]


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def run_forked(
    target: Callable[..., object], *arguments: object, kill_after: float | None = None
) -> int:
    process = multiprocessing.get_context("fork").Process(target=target, args=arguments)
    process.start()
    process.join(kill_after)
    process.kill()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def assert_whole_or_absent(total: int) -> None:
    try:
        data = minari.load_dataset(NAME)
    except FileNotFoundError:
        assert NAME not in minari.list_local_datasets()
        return
    assert data.total_episodes == total
    assert data.total_steps == sum(len(episode.actions) for episode in data)


@pytest.fixture
def config(make: MakeConfig) -> RecordConfig:
    return make(max_steps=4, episodes=EPISODES)


@pytest.fixture
def reference(config: RecordConfig, root: Path) -> dict[str, bytes]:
    """The data set as recorded without interruption."""
    record(config)
    return files(root / NAME / "data")


@pytest.mark.slow
def test_killed_before_every_change_of_the_file_system(
    config: RecordConfig, reference: dict[str, bytes], root: Path, arm: Callable[..., None]
) -> None:
    def die_at(moment: int) -> None:
        arm(CRITICAL, moment)
        record(config)

    moment, alive = 0, False
    while not alive:
        shutil.rmtree(root / NAME)
        alive = run_forked(die_at, moment) == 0
        assert_whole_or_absent(EPISODES)
        kept = {
            path: path.stat().st_mtime_ns for path in (root / NAME / ".recording").glob("[0-9]*/*")
        }
        if not alive:
            # A second death on the way, then the end.
            run_forked(die_at, moment % 7)
            assert_whole_or_absent(EPISODES)
            record(config)
        assert files(root / NAME / "data") == reference, moment
        for path, written in kept.items():
            now = root / NAME / "data" / path.relative_to(root / NAME / ".recording")
            assert now.stat().st_mtime_ns == written, "an episode was recorded twice"
        moment += 1
    assert moment > 4 * EPISODES


def test_killed_at_any_time(make: MakeConfig, root: Path) -> None:
    config = make(max_steps=40, episodes=6, learner="scripted_drivers:Painter", batch=4)
    record(config)
    expected = files(root / NAME / "data")
    shutil.rmtree(root / NAME)
    for attempt in range(15):
        run_forked(record, config, kill_after=0.05 + 0.037 * (attempt % 11))
        assert_whole_or_absent(6)
    record(config)
    assert files(root / NAME / "data") == expected


def test_only_missing_episodes_are_driven(
    config: RecordConfig, reference: dict[str, bytes], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / NAME / "data").rename(root / NAME / ".recording")
    shutil.rmtree(root / NAME / ".recording" / "1")
    driven = []
    write = RecordedDataSet.write

    def spy(self: RecordedDataSet, episode: Episode) -> None:
        driven.append(episode.index)
        write(self, episode)

    monkeypatch.setattr(RecordedDataSet, "write", spy)
    record(config)
    assert driven == [1]
    assert files(root / NAME / "data") == reference
    record(config)
    assert driven == [1]


def test_of_a_batch_in_lock_step_only_missing_episodes_are_written(
    make: MakeConfig, root: Path
) -> None:
    config = make(max_steps=4, episodes=3, learner="scripted_drivers:Painter", batch=3)
    record(config)
    whole, growing = files(root / NAME / "data"), root / NAME / ".recording"
    (root / NAME / "data").rename(growing)
    shutil.rmtree(growing / "1")
    kept = {number: (growing / number).stat().st_ino for number in ("0", "2")}
    record(config)
    assert files(root / NAME / "data") == whole
    assert {n: (root / NAME / "data" / n).stat().st_ino for n in ("0", "2")} == kept


def test_a_greater_number_of_episodes_adds_to_the_data_set(make: MakeConfig, root: Path) -> None:
    record(make(max_steps=4, episodes=5))
    whole = files(root / NAME / "data")
    shutil.rmtree(root / NAME)
    record(make(max_steps=4, episodes=2))
    record(make(max_steps=4, episodes=5))
    assert files(root / NAME / "data") == whole
    with pytest.raises(RecordError, match="holds 5 episodes, more than the 3 asked for"):
        record(make(max_steps=4, episodes=3))
    assert minari.load_dataset(NAME).total_episodes == 5


def test_another_configuration_is_refused(config: RecordConfig, make: MakeConfig) -> None:
    record(config)
    with pytest.raises(RecordError, match="recorded with max_steps = 4, not 5: choose another"):
        record(make(max_steps=5))
    assert minari.load_dataset(NAME).total_steps == 4 * EPISODES


def test_a_learner_trained_anew_under_its_old_name_is_another(
    make: MakeConfig, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "policy.safetensors"
    checkpoint.write_bytes(b"one")
    before = make(learner=str(checkpoint)).content()
    checkpoint.write_bytes(b"two")
    assert make(learner=str(checkpoint)).content() != before


def test_a_bundled_driver_is_bound_to_its_file(make: MakeConfig) -> None:
    recorded = make(driver="ppo", learner="selective:nsac?threshold=0.1").content()
    for name, file in (("driver", "ppo_carracing"), ("learner", "nsac_carracing")):
        content = (PRETRAINED / f"{file}.safetensors").read_bytes()
        assert recorded[f"{name}_sha256"] == hashlib.sha256(content).hexdigest()


def test_another_map_under_the_same_name_is_refused(make: MakeConfig, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_bytes((maps.store.FOLDER / "oval.json").read_bytes())
    record(make(maps=f"seed:10000,{mine}", episodes=1, max_steps=4))
    record(make(maps=f"seed:10000,{mine}", episodes=2, max_steps=4))
    mine.write_bytes((maps.store.FOLDER / "short.json").read_bytes())
    with pytest.raises(RecordError, match=r"recorded with map .*mine\.json, sha256 = "):
        record(make(maps=f"seed:10000,{mine}", episodes=3, max_steps=4))
    assert minari.load_dataset(NAME).total_episodes == 2


def test_two_recordings_of_one_name_do_not_mix(
    config: RecordConfig, root: Path, elsewhere: Callable[[AbstractContextManager[None]], None]
) -> None:
    elsewhere(RecordedDataSet(root, NAME).locked())
    with pytest.raises(LockedError, match="is at work on it"):
        record(config)


def test_who_comes_second_leaves_what_the_first_has_begun(
    config: RecordConfig,
    root: Path,
    recorded_by_another: Callable[[str], AbstractContextManager[None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both find no folder; the other one is quicker."""
    there = Path.exists
    with recorded_by_another(NAME):
        begun = root / NAME / ".recording"
        begun.mkdir()
        monkeypatch.setattr(Path, "exists", lambda path: path != root / NAME and there(path))
        with pytest.raises(LockedError, match="is at work on it"):
            record(config)
        assert begun.is_dir()


def test_a_foreign_data_set_is_left_alone(config: RecordConfig, root: Path) -> None:
    (root / NAME / "data").mkdir(parents=True)
    with pytest.raises(RecordError, match="was not made by nsac-record"):
        record(config)
    assert (root / NAME / "data").is_dir()
