import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import minari
import pandas as pd
import pytest
from minari import MinariDataset
from rich.console import Console

import policies
from evaluation.demo import demo
from evaluation.demo_config import DemoConfig
from recorders.dagger import clone
from recorders.dagger_config import DaggerConfig
from recorders.hard_tracks import chosen
from recorders.hard_tracks_config import HardTracks

SMALL = DaggerConfig(
    rounds=1, expert_episodes=2, episodes=2, epochs=1, round_epochs=1, workers=1, threads=1
)


@pytest.mark.slow
def test_the_demonstration_ends_in_a_policy_and_a_report_and_is_not_repeated(
    tmp_path: Path,
) -> None:
    config = DemoConfig(out=tmp_path / "demo", maps="short", dagger=SMALL)
    report = demo(config, Console(quiet=True))
    assert report == tmp_path / "demo" / "evaluation" / "report.html"
    assert policies.load(tmp_path / "demo" / "nsac.safetensors").name == "nsac"
    laps = pd.read_parquet(report.with_name("laps.parquet"))
    assert laps[["policy", "map"]].to_numpy().tolist() == [["nsac", "short"]]
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("round*.safetensors")}
    demo(config, Console(quiet=True))
    assert written == {path: path.stat().st_mtime_ns for path in written}
    assert _who_drove(tmp_path, 0) == {False}
    assert _who_drove(tmp_path, 1) == {False, True}


def test_a_finished_run_is_read_without_what_draws_and_trains_others() -> None:
    heavy = ("matplotlib", "plotly", "sklearn", "scipy.signal", "stable_baselines3")
    line = "import sys, evaluation.demo; print([n for n in sys.argv[1:] if n in sys.modules])"
    command = [sys.executable, "-c", line, *heavy]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert loaded == "[]\n"


@pytest.mark.slow
def test_hard_rounds_record_tracks_with_roads_side_by_side(tmp_path: Path) -> None:
    hard = HardTracks(rounds=1, candidates=6, tracks=2, laps=2, epochs=1)
    lines: list[str] = []
    policy = clone(replace(SMALL, rounds=0, hard=hard), tmp_path, lines.append)
    assert [line.partition(":")[0] for line in lines] == [
        "recorded the expert",
        "recorded hard round 1, the policy",
    ]
    data = MinariDataset(tmp_path / "data" / "dagger" / "hard1-v0" / "data")
    recorded = [lap["map"] for lap in data.storage.get_episode_metadata(range(4))]
    assert recorded == 2 * chosen(hard, 1)
    trained = tmp_path / "hard1.safetensors"
    assert policy.read_bytes() == trained.read_bytes()
    before = trained.stat().st_mtime_ns
    clone(replace(SMALL, rounds=0, hard=hard), tmp_path, lines.append)
    assert trained.stat().st_mtime_ns == before


def _who_drove(folder: Path, number: int) -> set[bool]:
    """Whether the learner drove, over the steps of a round's episodes."""
    data = MinariDataset(folder / "demo" / "data" / "dagger" / f"round{number}-v0" / "data")
    episodes: list[minari.EpisodeData] = list(data.iterate_episodes())
    return {bool(value) for episode in episodes for value in episode.infos["learner_drove"]}
