"""Merged and thinned data sets hold the very episodes of their sources, and fit all that reads."""

import json
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pytest

from maps.files.locks import LockedError
from policies import demonstrations
from policies.demonstrations import DemonstrationError
from recorders import RecordConfig, RecordError, record
from recorders.care.checking import check_data_set
from recorders.care.config import CheckConfig, DropEpisodesConfig, MergeConfig
from recorders.care.dropping import drop
from recorders.care.errors import CareError
from recorders.care.merging import merge_data_sets

MakeConfig = Callable[..., RecordConfig]
RecordAside = Callable[..., Path]
ONE, OTHER, NEW = "carracing/one-v0", "dagger/other-v0", "all/new-v1"


@pytest.fixture(scope="module")
def recorded(record_aside: RecordAside) -> Path:
    """Two recordings, of 3 and 2 episodes."""
    record_aside(out=ONE, episodes=3, max_steps=4)
    return record_aside(out=OTHER, episodes=2, max_steps=6, first_seed=11000)


@pytest.fixture
def sources(recorded: Path, root: Path) -> list[str]:
    """Their names, in a folder of this test."""
    shutil.copytree(recorded, root)
    return [ONE, OTHER]


def merge(**changes: Any) -> tuple[int, int]:  # noqa: ANN401
    options = {"data_sets": (ONE, OTHER), "out": NEW, "quiet": True, **changes}
    return merge_data_sets(MergeConfig(**options))


def thin(name: str = ONE, **changes: Any) -> object:  # noqa: ANN401
    return drop(DropEpisodesConfig(name, quiet=True, **changes))


def fingerprint(*names: str) -> str:
    return demonstrations.load(names).fingerprint()


def sound(name: str) -> bool:
    checked = check_data_set(CheckConfig(name, quiet=True))
    return checked.verified and not checked.findings


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def entry(root: Path, name: str, number: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (root / name / "data" / str(number) / "metadata.json").read_text()
    )
    return found


def test_a_merged_data_set_is_its_sources_in_turn(sources: list[str], root: Path) -> None:
    assert merge() == (5, 3 * 4 + 2 * 6)
    assert fingerprint(NEW) == fingerprint(ONE, OTHER)
    merged = minari.load_dataset(NEW)
    assert (merged.total_episodes, merged.total_steps) == (5, 24)
    assert merged.combined_datasets == [ONE, OTHER]
    assert [entry(root, NEW, i)["source"] for i in (0, 4)] == [
        {"data_set": ONE, "episode": 0},
        {"data_set": OTHER, "episode": 1},
    ]
    assert entry(root, NEW, 4)["seed"] == 11001
    assert sound(NEW)
    assert set(minari.list_local_datasets()) == {ONE, OTHER, NEW}


@pytest.mark.parametrize("copy", [False, True])
def test_frames_are_shared_unless_copies_are_wanted(
    sources: list[str], root: Path, copy: bool
) -> None:
    merge(copy=copy)
    old = root / OTHER / "data" / "0" / "part-0.arrow"
    new = root / NEW / "data" / "3" / "part-0.arrow"
    assert new.samefile(old) is not copy
    content = old.read_bytes()
    shutil.rmtree(root / OTHER)
    assert new.read_bytes() == content
    assert sound(NEW)


def test_where_files_cannot_be_shared_they_are_copied(
    sources: list[str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    merge()
    assert fingerprint(NEW) == fingerprint(ONE, OTHER)


def test_the_origin_of_an_episode_outlives_further_merges(sources: list[str], root: Path) -> None:
    thin(OTHER, episodes=("0",), out="carracing/half-v0")
    merge(data_sets=(ONE, "carracing/half-v0"))
    assert entry(root, NEW, 3)["source"] == {"data_set": OTHER, "episode": 1}
    recordings = json.loads((root / NEW / "data" / "metadata.json").read_text())["recordings"]
    assert {name: content["first_seed"] for name, content in recordings.items()} == {
        ONE: 10000,
        OTHER: 11000,
    }


def test_the_recorder_refuses_to_extend_it(sources: list[str], make: MakeConfig) -> None:
    merge()
    with pytest.raises(RecordError, match=r"was made by nsac-record merge, which cannot be ext"):
        record(make(out=NEW, episodes=9))
    assert sound(NEW)


def test_sets_that_share_an_episode_are_refused(sources: list[str], root: Path) -> None:
    thin(episodes=("0",), out="carracing/half-v0")
    for _ in range(2):
        with pytest.raises(DemonstrationError, match="episode 0 of carracing/half-v0 is episode 1"):
            merge(data_sets=(ONE, "carracing/half-v0"))
        assert not (root / NEW).exists()
        (root / ONE / "data" / "manifest.sha256").unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"data_sets": (ONE,)}, "two data sets or more"),
        ({"data_sets": (ONE, f"{ONE}/")}, "named twice"),
        ({"out": OTHER}, "exists in"),
    ],
)
def test_a_merge_that_cannot_be_is_refused(
    sources: list[str], root: Path, changes: dict[str, Any], words: str
) -> None:
    before = files(root)
    with pytest.raises((CareError, DemonstrationError), match=words):
        merge(**changes)
    assert files(root) == before


def test_what_does_not_fit_together_is_refused(make: MakeConfig, root: Path) -> None:
    record(make(out=ONE, episodes=1, max_steps=4))
    record(make(out=OTHER, episodes=1, max_steps=4, renderer="exact"))
    with pytest.raises(CareError, match=r"differ in renderer: fast, exact"):
        merge()
    assert not (root / NEW).exists()


def test_a_source_that_is_recorded_just_now_is_refused(
    sources: list[str],
    root: Path,
    recorded_by_another: Callable[[str], AbstractContextManager[None]],
) -> None:
    with recorded_by_another(ONE), pytest.raises(LockedError, match="is at work on it"):
        merge()
    assert not (root / NEW).exists()


def test_dropped_episodes_are_gone_and_the_others_the_same(sources: list[str], root: Path) -> None:
    before = files(root / ONE / "data")
    dropped = thin(episodes=("0", "2-2"), out=NEW)
    assert dropped.reasons == {0: "named", 2: "named"}  # type: ignore[attr-defined]
    assert files(root / ONE / "data") == before
    (kept,) = minari.load_dataset(NEW).iterate_episodes()
    (same,) = minari.load_dataset(ONE).iterate_episodes([1])
    assert np.array_equal(kept.observations, same.observations)
    assert np.array_equal(kept.actions, same.actions)
    assert sound(NEW)


def test_bad_episodes_go_by_their_return_or_outcome(sources: list[str], root: Path) -> None:
    returns = [entry(root, ONE, i)["return"] for i in range(3)]
    worst = int(np.argmin(returns))
    limit = float(np.sort(returns)[:2].mean())
    dropped = thin(worse_than=limit, dry_run=True)
    assert list(dropped.reasons) == [worst]  # type: ignore[attr-defined]
    with pytest.raises(CareError, match="all 3 episodes"):
        thin(outcome=("time",), dry_run=True)
    with pytest.raises(CareError, match=r"has the outcome tine, did you mean time\? only time"):
        thin(outcome=("tine",), dry_run=True)
    with pytest.raises(CareError, match="has the outcome lost, only time"):
        thin(outcome=("lost",), dry_run=True)


def test_a_dry_run_changes_nothing(sources: list[str], root: Path) -> None:
    before = files(root)
    thin(episodes=("1",), dry_run=True)
    thin(episodes=("1",), dry_run=True, out=NEW)
    thin(episodes=("1",), dry_run=True, in_place=True)
    assert files(root) == before


def test_in_place(sources: list[str], root: Path, make: MakeConfig) -> None:
    expected = minari.load_dataset(ONE)[2].observations
    thin(episodes=("0-1",), in_place=True)
    (kept,) = minari.load_dataset(ONE)
    assert np.array_equal(kept.observations, expected)
    assert sound(ONE)
    assert sorted(path.name for path in (root / ONE).iterdir() if path.is_dir()) == ["data"]
    with pytest.raises(RecordError, match="nsac-record drop-episodes, which cannot be extended"):
        record(make(out=ONE, episodes=3, max_steps=4))


def test_damage_goes_into_no_other_data_set(sources: list[str], root: Path) -> None:
    path = root / ONE / "data" / "1" / "part-0.arrow"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    altered = r"episode 1 of .* is not what was recorded"
    with pytest.raises(DemonstrationError, match=altered):
        thin(episodes=("0",), out=NEW)
    with pytest.raises(DemonstrationError, match=altered):
        merge()
    assert not (root / NEW).exists()
    thin(episodes=("1",), out=NEW)
    assert sound(NEW)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"out": NEW}, "say which episodes to drop"),
        ({"episodes": ("1",)}, "give --out NAME"),
        ({"episodes": ("1",), "out": NEW, "in_place": True}, "not both"),
        ({"episodes": ("3",), "out": NEW}, "there is no episode 3: they are 0-2"),
        ({"episodes": ("2-1",), "out": NEW}, "from its first to its last"),
        ({"episodes": ("one",), "out": NEW}, "written 3 or 7-9, not 'one'"),
        ({"worse_than": -1e9, "out": NEW}, "no episode of"),
        ({"worse_than": float("nan"), "out": NEW}, "must be a return, not nan"),
        ({"episodes": ("1",), "out": OTHER}, "exists in"),
    ],
)
def test_what_cannot_be_dropped_is_refused(
    sources: list[str], root: Path, changes: dict[str, Any], words: str
) -> None:
    before = files(root)
    with pytest.raises(CareError, match=words):
        thin(**changes)
    assert files(root) == before


def test_a_name_that_minari_refuses(sources: list[str]) -> None:
    with pytest.raises(RecordError, match="-v and a number"):
        merge(out="../escape-v0")


def test_a_name_written_as_a_path_is_the_same_data_set(sources: list[str], root: Path) -> None:
    """As a shell completes it; what leads elsewhere is no name."""
    thin(f"./{ONE}/", episodes=("0",), in_place=True)
    assert sound(ONE)
    assert sound(f"./{ONE}")
    with pytest.raises(DemonstrationError, match="is named twice"):
        merge(data_sets=(ONE, f".//{ONE}"))
    for name in (str(root / ONE), f"../{root.name}/{ONE}"):
        with pytest.raises(CareError, match="no data set's id"):
            thin(name, episodes=("0",), in_place=True)
        with pytest.raises(CareError, match="is neither a data set in"):
            check_data_set(CheckConfig(name))


def test_a_link_to_a_data_set_leaves_it_its_name(sources: list[str], root: Path) -> None:
    (root / "carracing/link-v0").symlink_to(root / ONE)
    thin("carracing/link-v0", episodes=("0",), in_place=True)
    assert sound(ONE)


def test_a_merge_that_fails_leaves_what_lies_where_it_was_to_be(
    sources: list[str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A namespace may be called like a data set."""
    record(RecordConfig(out="mine-v0/own-v0", episodes=1, max_steps=2, quiet=True))
    with monkeypatch.context() as patch:
        patch.setattr("recorders.care.derived.build", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            merge(out="mine-v0")
        with pytest.raises(ZeroDivisionError):
            merge()
    assert sound("mine-v0/own-v0")
    assert not (root / NEW).exists()


def test_a_merge_does_not_take_the_place_of_an_interrupted_replacement(
    sources: list[str], root: Path
) -> None:
    folder = root / "mine/set-v0"
    shutil.copytree(root / ONE / "data", folder / ".replacement")
    shutil.copytree(root / ONE / "data", folder / ".replaced")
    with pytest.raises(CareError, match="exists"):
        merge(out="mine/set-v0")
    assert [path.name for path in folder.iterdir()] == ["data"]
