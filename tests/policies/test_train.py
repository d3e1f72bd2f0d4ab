"""Training: learns from pictures, resumes exactly, records what it did, refuses bad input."""

import dataclasses
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from gymnasium import spaces
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage
from numpy.typing import NDArray

from drive.carracing.observations import FrameStack
from nsac_core import fitting
from nsac_core.methods import METHODS
from policies import PolicyError, checkpoint, cli
from policies.augmentation_config import Augmentation
from policies.checking import checked
from policies.demonstrations import DemonstrationError
from policies.train import train
from policies.train_config import TrainConfig

NAME = "carracing/stripes-v0"
STILL = Augmentation(mirror=0.0, shift=0, brightness=0.0)


def stripes(steps: int, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A bright stripe that wanders; the driver steers after it and brakes where it is dim."""
    place = 42 + 34 * np.sin(rng.uniform(0.05, 0.15) * np.arange(steps + 1) + rng.uniform(0, 6))
    bright = rng.uniform(0.3, 1.0, steps + 1)
    columns = np.abs(np.arange(84)[None] - place[:, None]) < 8
    frames = np.broadcast_to((columns * bright[:, None] * 255)[:, None], (steps + 1, 84, 84))
    actions = np.stack([(place - 42) / 42, bright, 1 - bright], axis=1)[:-1]
    return frames.astype(np.uint8), actions.astype(np.float32)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("datasets")
    folder = root / NAME / "data"
    folder.mkdir(parents=True)
    frames = spaces.Box(0, 255, (84, 84), np.uint8)
    actions = spaces.Box(np.array([-1, 0, 0], "f4"), np.array([1, 1, 1], "f4"))
    storage = MinariStorage.new(folder, frames, actions, data_format="arrow", jpeg_encoding=False)
    storage.update_metadata({"dataset_id": NAME, "minari_version": "0.5.4"})
    rng = np.random.default_rng(0)
    for steps in (40, 35, 50, 30, 45):
        storage.update_episodes([recorded(steps, rng)])
    return root


def recorded(steps: int, rng: np.random.Generator) -> EpisodeBuffer:
    seen, done = stripes(steps, rng)
    n = [False] * steps
    return EpisodeBuffer(
        observations=seen, actions=done, rewards=[0.0] * steps, terminations=n, truncations=n
    )


@pytest.fixture
def config(root: Path, tmp_path: Path) -> TrainConfig:
    return TrainConfig(
        data=(NAME,),
        out=tmp_path / "driver.safetensors",
        epochs=2,
        batch=32,
        window=4,
        validation_share=0.2,
        augmentation=STILL,
        data_root=root,
        quiet=True,
    )


def weights(path: Path) -> dict[str, torch.Tensor]:
    return checkpoint.read(path)[1]


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(value, second[name]) for name, value in first.items())


def test_learns_to_steer_from_pictures(config: TrainConfig) -> None:
    path = train(dataclasses.replace(config, epochs=25, learning_rate=3e-3))
    results = checkpoint.read(path)[0].results
    steering = stripes(300, np.random.default_rng(9))[1][:, 0]
    assert results["mse_steer"] < 0.3 * steering.var()
    policy = checkpoint.load(path)
    policy.reset(2)
    frames = np.zeros((2, 4, 84, 84), np.uint8)
    frames[0, :, :, 8:24] = frames[1, :, :, 60:76] = 180
    left, right = policy.act(frames).action[:, 0]
    assert left < -0.2
    assert right > 0.2


@pytest.mark.parametrize("encoder", ["conv", "strided"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_cloned_and_driven(
    config: TrainConfig, method: str, encoder: str, root: Path
) -> None:
    words = f"--data {NAME} --epochs 1 --window 4 --batch 32 --quiet --method {method}"
    words += f" --encoder {encoder} --validation-share 0.2 --data-root {root} --out {config.out}"
    cli.main(words.split())
    header = checkpoint.read(config.out)[0]
    assert (header.method, header.encoder) == (method, encoder)
    assert all(np.isfinite(score) for score in header.results["validation"].values())
    policy = checked(checkpoint.load(config.out))
    frames = stripes(6, np.random.default_rng(2))[0]
    stack = FrameStack(2)
    policy.reset(2)
    decisions = [policy.act(stack.push(np.stack([frame, frame]))) for frame in frames]
    actions = [decision.action for decision in decisions]
    assert not np.array_equal(actions[0], actions[-1])
    assert (decisions[-1].aleatoric > 0).all()
    assert (decisions[-1].epistemic > 0).all() == (method != "gmle")


def test_the_same_configuration_gives_the_same_weights(config: TrainConfig) -> None:
    first = weights(train(config))
    again = weights(train(dataclasses.replace(config, out=config.out.with_stem("again"))))
    other = weights(train(dataclasses.replace(config, out=config.out.with_stem("o"), seed=1)))
    assert equal(first, again)
    assert not equal(first, other)


def interrupted(config: TrainConfig, epoch: int) -> None:
    trained = fitting._Fitting._train

    def train_until(self: fitting._Fitting, number: int) -> dict[str, float]:
        if number == epoch:
            raise KeyboardInterrupt
        return trained(self, number)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting._Fitting, "_train", train_until)
        with pytest.raises(KeyboardInterrupt):
            train(config)
    assert not config.out.exists()


def test_an_interrupted_run_ends_as_an_uninterrupted_one(config: TrainConfig) -> None:
    config = dataclasses.replace(config, epochs=4, augmentation=Augmentation())
    expected = weights(train(dataclasses.replace(config, out=config.out.with_stem("whole"))))
    interrupted(config, epoch=3)
    with pytest.raises(PolicyError, match=r"unfinished run with other settings"):
        train(dataclasses.replace(config, epochs=5))
    assert equal(weights(train(config)), expected)
    assert checkpoint.read(config.out)[0].results["epochs"] == 4
    assert [entry.name for entry in config.out.parent.iterdir() if entry.is_dir()] == []


def test_an_interrupted_run_does_not_go_on_with_other_data(
    config: TrainConfig, root: Path, tmp_path: Path
) -> None:
    mine = shutil.copytree(root, tmp_path / "datasets")
    config = dataclasses.replace(config, data_root=mine)
    interrupted(config, epoch=2)
    storage = MinariStorage.read(mine / NAME / "data")
    storage.update_episodes([recorded(40, np.random.default_rng(1))])
    with pytest.raises(PolicyError, match="unfinished run with other settings or data"):
        train(config)
    shutil.rmtree(config.out.with_suffix(".unfinished"))
    assert checkpoint.read(train(config))[0].data["episodes"] == 6


def test_the_checkpoint_says_how_it_was_made(config: TrainConfig) -> None:
    header = checkpoint.read(train(config))[0]
    assert header.config["epochs"] == 2
    assert header.config["augmentation"] == dataclasses.asdict(STILL)
    assert header.data["names"] == [NAME]
    assert (header.data["episodes"], header.data["steps"]) == (5, 200)
    assert len(header.data["fingerprint"]) == 64
    assert {
        f"{score}_{action}" for score in ("mse", "nll") for action in ("steer", "gas", "brake")
    } <= (header.results.keys())
    assert header.command


def test_a_round_of_dagger_starts_from_the_last_weights(config: TrainConfig) -> None:
    first = train(dataclasses.replace(config, epochs=8))
    tuned = dataclasses.replace(
        config, out=config.out.with_stem("tuned"), init=first, epochs=1, learning_rate=1e-9
    )
    before, after = weights(first), weights(train(tuned))
    torch.testing.assert_close(before["layer.mean_head.weight"], after["layer.mean_head.weight"])
    strange = dataclasses.replace(tuned, method_options={"heads": 8}, out=tuned.out.with_stem("s"))
    with pytest.raises(PolicyError, match=r"driver\.safetensors: tensor"):
        train(strange)


def test_bad_input_is_one_clear_line(
    config: TrainConfig, root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(PolicyError, match=r"out must end in \.safetensors"):
        train(dataclasses.replace(config, out=tmp_path / "driver.pt"))
    with pytest.raises(PolicyError, match="window must be positive, got 0"):
        train(dataclasses.replace(config, window=0))
    with pytest.raises(PolicyError, match="no uncertainty method 'oracle'"):
        train(dataclasses.replace(config, method="oracle"))
    with pytest.raises(DemonstrationError, match="missing-v0"):
        train(dataclasses.replace(config, data=("missing-v0",)))
    arguments = ["--data", "missing-v0", "--out", str(tmp_path / "a.safetensors")]
    with pytest.raises(SystemExit) as caught:
        cli.main([*arguments, "--data-root", str(root)])
    assert caught.value.code == 2
    line = capsys.readouterr().err
    assert line.startswith("error: data set 'missing-v0'")
    assert line.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_command_trains(config: TrainConfig, root: Path) -> None:
    words = f"--data {NAME} --epochs 1 --window 4 --batch 32 --quiet --data-root {root}"
    command = "from policies.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", command, *words.split(), "--out", str(config.out)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"trained {config.out}"
    header = json.loads(json.dumps(checkpoint.read(config.out)[0].config))
    assert header["epochs"] == 1


def test_a_finished_training_is_not_repeated_unless_something_changed(config: TrainConfig) -> None:
    path = train(config)
    before = path.stat().st_mtime_ns
    assert train(config) == path
    assert path.stat().st_mtime_ns == before
    train(dataclasses.replace(config, seed=config.seed + 1))
    assert path.stat().st_mtime_ns > before
