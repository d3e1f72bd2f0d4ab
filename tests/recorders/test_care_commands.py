"""``nsac-record info, show, check, merge, drop-episodes, export`` as a user sees them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from recorders import RecordConfig, record
from recorders.cli import main

MakeConfig = Callable[..., RecordConfig]
NAME = "carracing/test-v0"


@pytest.fixture
def data(make: MakeConfig, root: Path) -> Path:
    record(make(episodes=2, max_steps=3, first_seed=2099, allow_test_seeds=True))
    return root / NAME


def run(*arguments: str) -> int:
    """The exit status."""
    try:
        main(list(arguments))
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_info_warns_of_test_tracks(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("info", NAME, "--json", str(tmp_path / "facts.json")) == 0
    told = capsys.readouterr()
    assert "seed:2099" in told.out
    assert "warning: test tracks (seeds 2000-2099) in episodes 0" in told.err
    assert json.loads((tmp_path / "facts.json").read_text())["test_episodes"] == [0]


def test_check_drop_and_check_again(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", NAME, "--quiet") == 1
    assert capsys.readouterr().out.startswith("episode 0, map seed:2099: a track of the test")
    new = "carracing/clean-v0"
    assert run("drop-episodes", NAME, "--episodes", "0", "--out", new, "--quiet") == 0
    assert "dropped episode 0 (named)\ncarracing/clean-v0 holds 1 episodes, 3 steps" in (
        capsys.readouterr().out
    )
    assert run("check", new, "--quiet") == 0
    assert capsys.readouterr().out == f"{new}: 1 episodes, 3 steps, all sound\n"


def test_merge_show_and_export(
    data: Path, make: MakeConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(make(out="carracing/more-v0", episodes=1, max_steps=3))
    assert run("merge", NAME, "carracing/more-v0", "--out", "carracing/all-v0", "--quiet") == 0
    assert "merged 3 episodes, 9 steps, as carracing/all-v0" in capsys.readouterr().out
    assert run("show", "carracing/all-v0", "--out", str(tmp_path / "show"), "--quiet") == 0
    assert str(tmp_path / "show" / "frames.png") in capsys.readouterr().out
    out = str(tmp_path / "npz")
    assert run("export", "carracing/all-v0", "--to", "npz", "--out", out, "--quiet") == 0
    assert len(list((tmp_path / "npz").glob("*.npz"))) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["info", "carracing/none-v0"],
        ["show", "carracing/none-v0", "--out", "nowhere"],
        ["check", "carracing/none-v0"],
        ["merge", NAME, "carracing/none-v0", "--out", "carracing/new-v0"],
        ["drop-episodes", NAME, "--episodes", "9", "--out", "carracing/new-v0"],
        ["export", "carracing/none-v0", "--to", "npz", "--out", "nowhere"],
    ],
)
def test_each_fault_is_one_line(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "nowhere").exists()


def test_a_damaged_episode_is_named_by_whatever_reads_it(
    data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (data / "data" / "1" / "part-0.arrow").write_bytes(b"nothing")
    for command in (["info", NAME], ["show", NAME, "--out", str(tmp_path / "out")]):
        assert run(*command) == 2
        assert f"episode 1 of {NAME}: 1/part-0.arrow is not what" in capsys.readouterr().err
    (data / "data" / "manifest.sha256").unlink()
    for command in (["info", NAME], ["show", NAME, "--out", str(tmp_path / "out")]):
        assert run(*command) == 2
        assert f"episode 1 of {NAME} cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["[]", "{", '{"id": 1}', ""])
def test_damaged_metadata_are_named_as_well(
    data: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    (data / "data" / "1" / "metadata.json").write_text(content)
    assert run("info", NAME) == 2
    error = capsys.readouterr().err
    assert str(data / "data" / "1" / "metadata.json") in error
    assert error.count("\n") == 1
    assert run("check", NAME) == 1
    assert "episode 1, metadata.json" in capsys.readouterr().out


def test_check_takes_a_recording_of_the_udacity_simulator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "IMG").mkdir()
    (tmp_path / "driving_log.csv").write_text("IMG/none.jpg,,,0,0,0,0\n")
    assert run("check", str(tmp_path)) == 1
    assert "missing image" in capsys.readouterr().out
    shutil.rmtree(tmp_path / "IMG")
    assert run("check", str(tmp_path / "driving_log.csv")) == 1
