"""A repeated DAgger goes on with its own rounds, and never with those of other settings."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from policies import checkpoint
from policies.checkpoint import Header
from policies.errors import PolicyError
from policies.train_config import TrainConfig
from recorders import dagger
from recorders.config import RecordConfig
from recorders.dagger_config import DaggerConfig

CONFIG = DaggerConfig(rounds=1, epochs=3, round_epochs=2)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[TrainConfig]:
    """What is trained; nothing is recorded, and no weight is moved."""
    done: list[TrainConfig] = []

    def train(how: TrainConfig) -> Path:
        done.append(how)
        header = Header(how.method, config=json.loads(json.dumps(asdict(how), default=str)))
        checkpoint.save(how.out, checkpoint.build_method(header), header)
        return how.out

    def record(config: RecordConfig) -> str:
        return config.out

    monkeypatch.setattr(dagger, "train", train)
    monkeypatch.setattr(dagger, "record", record)
    monkeypatch.setattr(dagger, "_outcome", lambda *_: "")
    return done


def test_finished_rounds_are_not_trained_again(
    trained: list[TrainConfig], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    policy = dagger.clone(CONFIG, Path("out"))
    assert [how.epochs for how in trained] == [3, 2]
    elsewhere = replace(CONFIG, workers=1, threads=1, rounds=2)
    assert dagger.clone(elsewhere, tmp_path / "out") == policy.absolute()
    assert [how.out.name for how in trained[2:]] == ["round2.safetensors"]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"method": "gmle"}, "method nsac, not gmle"),
        ({"epochs": 1}, "epochs 3, not 1"),
        ({"learning_rate": 1e-5}, "learning_rate 0.001, not 1e-05"),
        ({"round_epochs": 9}, "epochs 2, not 9"),
        ({"batch": 8}, "batch 256, not 8"),
        ({"encoder": "paper"}, "encoder strided, not paper"),
        ({"seed": 1}, "seed 0, not 1"),
    ],
)
def test_rounds_of_other_settings_are_refused_and_kept(
    trained: list[TrainConfig], tmp_path: Path, other: dict[str, Any], words: str
) -> None:
    dagger.clone(CONFIG, tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.glob("*.safetensors")}
    with pytest.raises(PolicyError, match=rf"round\d\.safetensors: was trained with {words}; "):
        dagger.clone(replace(CONFIG, **other), tmp_path)
    assert before == {file: file.read_bytes() for file in tmp_path.glob("*.safetensors")}
    assert len(trained) == 2


def test_a_last_stage_is_no_round_of_a_longer_run(
    trained: list[TrainConfig], tmp_path: Path
) -> None:
    dagger.clone(replace(CONFIG, final_epochs=2), tmp_path)
    assert len(trained) == 3
    with pytest.raises(PolicyError, match=r"round2\.safetensors: was trained with data "):
        dagger.clone(replace(CONFIG, rounds=2, final_epochs=2), tmp_path)
