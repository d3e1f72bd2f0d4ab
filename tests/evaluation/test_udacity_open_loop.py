"""The open loop from recordings to scores, on a small recording that can be learnt."""

import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from drive.observation import ObservationSpec
from drive.udacity.driving_log import DrivingLog
from drive.udacity.frame_shape import FRAME_SHAPE
from evaluation import cli, drive_laps
from evaluation.udacity.open_loop import open_loop
from evaluation.udacity.open_loop_config import OpenLoopConfig
from nsac_core.benchmarks.errors import BenchmarkError
from policies import PolicyError, checkpoint, load
from policies.udacity.augmentation_config import CameraAugmentation
from policies.udacity.train_config import UdacityTrainConfig
from recorders.driving import Driver

START = datetime(2026, 1, 1)  # noqa: DTZ001 - the simulator's is local
ROWS = 540


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The brighter the frame, the further to the right."""
    folder = tmp_path_factory.mktemp("drive")
    rng = np.random.default_rng(0)
    with DrivingLog(folder) as log:
        for row in range(ROWS):
            level = rng.uniform()
            frame = np.full(FRAME_SHAPE, 40 + 170 * level, np.uint8)
            numbers = {"throttle": 0.0, "brake": 0.0, "speed": 5.0}
            moment = START + timedelta(milliseconds=66 * row)
            log.append([frame], steering=level - 0.5, **numbers, moment=moment)
    return folder


@pytest.fixture(scope="module")
def config(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> OpenLoopConfig:
    return OpenLoopConfig(
        data=(recording,),
        methods=("gmle", "constant"),
        seeds=2,
        epochs=2,
        learning_rate=3e-3,
        sigmas=(0.5,),
        augmentation=CameraAugmentation(probability=0),
        out=tmp_path_factory.mktemp("bench") / "udacity",
        quiet=True,
    )


Scores = dict[tuple[str, int], dict[str, float]]


def scored(config: OpenLoopConfig) -> Scores:
    """Every metric by method and seed."""
    rows = open_loop(config).scores.to_dict("records")
    return {(row["model"], row["seed"]): {str(k): v for k, v in row.items()} for row in rows}


@pytest.fixture(scope="module")
def scores(config: OpenLoopConfig) -> Scores:
    return scored(config)


def test_the_constant_has_the_variance_of_what_is_held_out(
    config: OpenLoopConfig, scores: Scores
) -> None:
    rows = pd.read_parquet(config.out / "predictions.parquet")
    for seed in (42, 43):
        y = rows[(rows["model"] == "constant") & (rows["seed"] == seed) & (rows["sigma"] == 0)]["y"]
        # Uniform over a unit: a variance of 1/12, whatever the mean of the rest was.
        assert scores["constant", seed]["mse"] == pytest.approx(1 / 12, abs=0.02)
        assert scores["constant", seed]["mse"] == pytest.approx(y.var(ddof=0), rel=0.1)


def test_a_method_learns_what_can_be_learnt(scores: Scores) -> None:
    for seed in (42, 43):
        assert scores["gmle", seed]["mse"] < 0.5 * scores["constant", seed]["mse"]


@pytest.mark.usefixtures("scores")
def test_every_contender_of_a_seed_is_tested_on_the_same_rows(config: OpenLoopConfig) -> None:
    rows = pd.read_parquet(config.out / "predictions.parquet")
    seen = {key: tuple(part["y"]) for key, part in rows.groupby(["model", "seed", "sigma"])}
    assert seen[("gmle", 42, 0.0)] == seen[("constant", 42, 0.0)] == seen[("gmle", 42, 0.5)]
    assert seen[("gmle", 42, 0.0)] != seen[("gmle", 43, 0.0)]
    assert len(seen[("gmle", 42, 0.0)]) == pytest.approx(0.2 * ROWS, abs=61)


def test_the_policies_are_kept_and_drive(config: OpenLoopConfig, scores: Scores) -> None:
    path = config.out / "policies" / "gmle-43.safetensors"
    header, _ = checkpoint.read(path)
    assert header.config["seed"] == 43
    assert header.data["training_rows"] == pytest.approx(0.65 * ROWS, abs=0.15 * ROWS)
    policy = load(path, ObservationSpec("camera", 1))
    policy.reset(2)
    shown = np.stack([np.full((1, *FRAME_SHAPE), level, np.uint8) for level in (50, 200)])
    dark, bright = policy.act(shown).action[:, 0]
    assert dark < bright
    assert scores["gmle", 43]["parameters"] > 1e5


def test_no_lap_of_carracing_is_driven_by_them(config: OpenLoopConfig, scores: Scores) -> None:
    path = config.out / "policies" / "gmle-42.safetensors"
    with pytest.raises(PolicyError, match="gmle-42: is for the Udacity simulator"):
        drive_laps(path, ["oval"])
    with pytest.raises(PolicyError, match="camera frames"):
        Driver(str(path))


def test_the_same_command_again_trains_nothing(
    config: OpenLoopConfig, monkeypatch: pytest.MonkeyPatch, scores: Scores
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("evaluation.udacity.open_loop.train_and_test", fail)
    again = scored(config)
    assert again["gmle", 42]["mse"] == scores["gmle", 42]["mse"]
    assert again.keys() == scores.keys()


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize("other", ["steering", "picture"])
def test_another_recording_of_the_same_name_is_refused(
    config: OpenLoopConfig, recording: Path, tmp_path: Path, other: str
) -> None:
    folder = tmp_path / recording.name
    shutil.copytree(recording, folder)
    log = folder / "driving_log.csv"
    lines = log.read_text().replace(str(recording), str(folder)).splitlines(keepends=True)
    if other == "steering":
        numbers = lines[7].split(",")
        numbers[3] = "0.9"
        lines[7] = ",".join(numbers)
    else:
        first, second = sorted((folder / "IMG").iterdir())[:2]
        shutil.copyfile(first, second)
    log.write_text("".join(lines))
    with pytest.raises(BenchmarkError, match="holds a run with data_sha256"):
        open_loop(replace(config, data=(folder,)))


def test_without_a_limit_of_the_gradient_the_training_is_one_that_can_be(
    config: OpenLoopConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(settings: UdacityTrainConfig, *_: object) -> None:
        settings.check()
        raise PolicyError("can be trained")

    monkeypatch.setattr("evaluation.udacity.open_loop.train_udacity", check)
    unclipped = replace(config, methods=("gmle",), gradient_clip=None, out=tmp_path / "out")
    with pytest.raises(BenchmarkError, match="can be trained"):
        open_loop(unclipped)


def short(folder: Path) -> Path:
    with DrivingLog(folder) as log:
        frame = np.zeros(FRAME_SHAPE, np.uint8)
        numbers = {"steering": 0.0, "throttle": 0.0, "brake": 0.0, "speed": 5.0}
        log.append([frame], **numbers, moment=START)
    return folder


def test_what_cannot_be_is_named(tmp_path: Path) -> None:
    some = OpenLoopConfig(data=(tmp_path,), out=tmp_path / "run", methods=("constant",), quiet=True)
    for config, named in (
        (replace(some, data=()), "no recording"),
        (replace(some, device="cuda"), "device"),
        (replace(some, augmentation=CameraAugmentation(mirror=2)), "mirror"),
        (replace(some, data=(short(tmp_path / "short"),)), "too few"),
    ):
        with pytest.raises(BenchmarkError, match=named):
            open_loop(config)


def test_the_command_names_a_missing_recording(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["udacity-open-loop", "--data", "no/such/folder"])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "no/such/folder" in error
