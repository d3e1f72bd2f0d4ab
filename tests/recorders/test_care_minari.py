"""Minari's own commands and calls work on what is recorded, merged and thinned out here."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import minari
import pytest
from minari.cli import app
from typer.testing import CliRunner

from recorders import RecordConfig, record
from recorders.care.config import DropEpisodesConfig, MergeConfig
from recorders.care.dropping import drop
from recorders.care.merging import merge_data_sets

MakeConfig = Callable[..., RecordConfig]
RECORDED, OTHER = "carracing/one-v0", "carracing/other-v0"
MERGED, THINNED = "all/merged-v0", "carracing/thin-v2"


@pytest.fixture
def names(make: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Names of data sets, and how many episodes each holds."""
    monkeypatch.setenv("COLUMNS", "200")
    record(make(out=RECORDED, episodes=2, max_steps=4))
    record(make(out=OTHER, episodes=1, max_steps=4, first_seed=7))
    merge_data_sets(MergeConfig((RECORDED, OTHER), MERGED, quiet=True))
    drop(DropEpisodesConfig(MERGED, episodes=("1",), out=THINNED, quiet=True))
    return {RECORDED: 2, OTHER: 1, MERGED: 3, THINNED: 2}


def test_minari_lists_and_shows_all(names: dict[str, int]) -> None:
    listed = CliRunner().invoke(app, ["list", "local"])
    assert listed.exit_code == 0
    for name, episodes in names.items():
        assert name in listed.output
        shown = CliRunner().invoke(app, ["show", name])
        assert shown.exit_code == 0
        assert f"Total Episodes │ {episodes}" in " ".join(shown.output.split())
        assert "nsac/CarRacing-v0" in shown.output


def test_minari_samples_and_slices(names: dict[str, int]) -> None:
    for name, episodes in names.items():
        data = minari.load_dataset(name)
        assert (data.total_episodes, data.total_steps) == (episodes, 4 * episodes)
        sampled = data.sample_episodes(episodes)
        assert sorted(episode.id for episode in sampled) == list(range(episodes))
        assert all(episode.observations.shape == (5, 84, 84) for episode in sampled)
        (part, rest) = minari.split_dataset(data, [episodes - 1, 1], seed=0)
        assert part.total_episodes + rest.total_episodes == episodes


def test_minari_combines_them(names: dict[str, int]) -> None:
    """Not what it can be used for: it encodes frames as JPEG, and 0.5.4 cannot read it back."""
    command = ["combine", MERGED, OTHER, "--dataset-id", "all/combined-v0"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    combined = minari.load_dataset("all/combined-v0")
    assert (combined.total_episodes, combined.total_steps) == (4, 16)
    assert combined.combined_datasets == [MERGED, OTHER]


def test_the_environment_is_recovered_where_nothing_of_ours_is_imported(
    names: dict[str, int], root: Path
) -> None:
    code = f"""if True:
        import minari
        for name in {list(names)}:
            env = minari.load_dataset(name).recover_environment()
            frame, info = env.reset(seed=7)
            print(env.spec.id, frame.shape, "speed" in info)
    """
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["nsac/CarRacing-v0 (84, 84, 1) True"] * len(names)
