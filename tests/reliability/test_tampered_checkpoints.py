"""Checkpoints and training states that are damaged, foreign or made up: told in one line."""

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

import policies
from evaluation.cli import main as evaluate
from maps.files import tensor_file
from nsac_core.attention import NSAC
from nsac_core.fitting_state import FittingState, FittingStateError, load_state, save_state
from policies import checkpoint
from policies.checkpoint import Header
from policies.errors import PolicyError
from policies.loading import BUNDLED
from policies.ppo import driver as expert
from policies.ppo import state as ppo_state
from policies.ppo.driver import ExpertHeader
from policies.ppo.network import Actor
from tests.reliability.tampering import DAMAGES, Damage, check_line, flipped, refuses

KEYS = {"nsac": "nsac_drive", "udacity": "nsac_drive", "ppo": expert.KEY}


@pytest.fixture(params=list(KEYS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def file(tmp_path: Path, kind: str) -> Path:
    """A checkpoint of each kind, untrained."""
    torch.manual_seed(0)
    path = tmp_path / "driver.safetensors"
    if kind == "ppo":
        expert.save(path, Actor(), ExpertHeader())
        return path
    name = "udacity" if kind == "udacity" else "strided"
    header = Header("nsac", {"heads": 8}, encoder=name)
    method = checkpoint.build_method(header)
    seen: Any = method.encoder
    header = replace(header, observation=seen.observation, preprocessing=seen.preprocessing)
    checkpoint.save(path, method, header)
    return path


def loaded(file: Path) -> str:
    """What is wrong with a checkpoint; it has to be something."""
    with pytest.raises(PolicyError) as refused:
        policies.load(file)
    check_line(str(refused.value), str(file))
    return str(refused.value)


def words_of(file: Path) -> dict[str, str]:
    with safe_open(file, framework="pt") as opened:
        words: dict[str, str] = opened.metadata()
    return words


def with_header(file: Path, key: str, **fields: object) -> None:
    """Changes fields of the header as somebody would who has no digest to fulfil."""
    values = json.loads(words_of(file)[key]) | fields
    save_file(load_file(file), file, metadata={key: json.dumps(values)})


def with_tensors(file: Path, key: str, change: Callable[[dict[str, Tensor]], None]) -> None:
    tensors, words = load_file(file), words_of(file)
    change(tensors)
    save_file(tensors, file, metadata={key: words[key]})


@pytest.mark.fault(
    "truncated, empty, another kind, bits flipped",
    "checkpoint (nsac, udacity, ppo)",
    "one line that names the file",
)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused(file: Path, damage: Damage) -> None:
    damage(file)
    loaded(file)


@pytest.mark.fault(
    "truncated, empty, another kind, bits flipped",
    "nsac-evaluate --policy",
    "one line that names the file, status 2",
)
@pytest.mark.parametrize("damage", DAMAGES)
def test_nobody_drives_with_a_damaged_checkpoint(
    file: Path, damage: Damage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(file)
    command = ["--policy", str(file), "--maps", "seed:1", "--out", str(tmp_path / "run")]
    refuses(evaluate, command, str(file), capsys)
    assert not (tmp_path / "run").exists()


@pytest.mark.fault(
    "any single bit flipped", "checkpoint", "noticed by its SHA-256: one line that names the file"
)
def test_no_flipped_bit_goes_unnoticed(file: Path) -> None:
    content, words, tensors = file.read_bytes(), *tensor_file.read(file)
    (length,) = struct.unpack("<Q", content[:8])
    rng = np.random.default_rng(0)
    head = rng.choice(8 * (8 + length), 60, replace=False)
    body = rng.integers(8 * (8 + length), 8 * len(content), 20)
    for place in (*head.tolist(), *body.tolist()):
        file.write_bytes(flipped(content, place))
        try:
            read = tensor_file.read(file)
        except tensor_file.TensorFileError as fault:
            check_line(str(fault), str(file))
            continue
        # The name of the digest itself, or a blank behind the header: the content is as it was.
        assert read[0].items() >= words.items()
        assert tensor_file.digest_of(read[1], {}) == tensor_file.digest_of(tensors, {})


WRONG_HEADERS: list[tuple[dict[str, object], str]] = [
    ({"format_version": 99}, "format 99 is newer"),
    ({"format_version": "2"}, "format_version is '2', expected a whole number"),
    ({"format_version": 1.5}, "format_version"),
    ({"format_version": None}, "format_version"),
    ({"format_version": 0}, "format_version"),
    ({"format_version": True}, "format_version"),
    ({"encoder": "vgg"}, "no encoder 'vgg'"),
    ({"encoder": ["conv"]}, "encoder is ['conv'], expected str"),
    ({"observation": None}, "expected the fields kind, frames"),
    ({"observation": {"kind": "lidar"}}, "kind is 'lidar'"),
    ({"observation": {"kind": "gray84", "frames": 10**9}}, "1000000000"),
    ({"surprise": 1}, "unknown field 'surprise'"),
    ({"config": []}, "config is [], expected dict"),
]
WRONG_METHODS: list[tuple[dict[str, object], str]] = [
    ({"method": "oracle"}, "no uncertainty method 'oracle'"),
    ({"method": 3}, "method is 3, expected str"),
    ({"n_samples": 0}, "n_samples is 0, expected 1 to"),
    ({"n_samples": 10**9}, "n_samples is 1000000000"),
    ({"method_options": {"heads": 0}}, "heads must be at least 1, got 0"),
    ({"method_options": {"heads": 8, "model_dim": 2**40}}, "model_dim is 1099511627776, at most"),
    ({"method_options": {"noise_scale": -1}}, "noise_scale must be a finite number from 0, got -1"),
    ({"method_options": {"chunk": "foo"}}, "chunk"),
    ({"method_options": {"n_samples": 0}}, "n_samples must be at least 1, got 0"),
    ({"method_options": {"heads": "8"}}, "heads must be a whole number, got '8'"),
]


@pytest.mark.fault(
    "wrong field of the header", "checkpoint (nsac, udacity, ppo)", "one line that names the field"
)
@pytest.mark.parametrize(("fields", "words"), WRONG_HEADERS)
def test_a_wrong_field_of_the_header_is_named(
    file: Path, kind: str, fields: dict[str, object], words: str
) -> None:
    with_header(file, KEYS[kind], **fields)
    assert words in loaded(file)


@pytest.mark.fault(
    "wrong method or option in the header", "checkpoint", "one line that names the option"
)
@pytest.mark.parametrize("kind", ["nsac"], indirect=True)
@pytest.mark.parametrize(("fields", "words"), WRONG_METHODS)
def test_a_wrong_method_or_option_is_named(
    file: Path, fields: dict[str, object], words: str
) -> None:
    with_header(file, "nsac_drive", **fields)
    assert words in loaded(file)


@pytest.mark.fault("repeat below 1", "checkpoint (ppo)", "one line that names the field")
@pytest.mark.parametrize("kind", ["ppo"], indirect=True)
def test_an_expert_that_never_decides_is_refused(file: Path) -> None:
    with_header(file, expert.KEY, repeat=0)
    assert "repeat is 0, expected 1 or more" in loaded(file)


@pytest.mark.fault(
    "header that is no JSON, nested 100,000 deep, huge numbers, a field twice",
    "checkpoint (nsac, udacity, ppo)",
    "one line that names the file",
)
@pytest.mark.parametrize(
    "text", ["{", "[]", "[" * 100_000, '{"a": 1e400}', "9" * 5000, '{"a": 1, "a": 2}', "\ufeff{}"]
)
def test_a_header_that_is_no_header_is_refused(file: Path, kind: str, text: str) -> None:
    save_file(load_file(file), file, metadata={KEYS[kind]: text})
    loaded(file)


@pytest.mark.fault("header said to be 2^60 bytes", "checkpoint", "one line that names the file")
def test_a_huge_header_is_not_read(file: Path) -> None:
    file.write_bytes(struct.pack("<Q", 2**60) + file.read_bytes()[8:])
    loaded(file)


def lose(tensors: dict[str, Tensor]) -> None:
    del tensors[min(tensors)]


def add(tensors: dict[str, Tensor]) -> None:
    tensors["stranger"] = torch.ones(1)


def shorten(tensors: dict[str, Tensor]) -> None:
    name = min(tensors)
    tensors[name] = tensors[name].reshape(-1)[:-1].clone()


def spoil(tensors: dict[str, Tensor]) -> None:
    tensors[min(tensors)].reshape(-1)[0] = float("nan")


@pytest.mark.fault(
    "tensor missing, added, of another shape, with NaN",
    "checkpoint (nsac, udacity, ppo)",
    "one line that names the tensor",
)
@pytest.mark.parametrize("change", [lose, add, shorten, spoil])
def test_wrong_tensors_are_refused(
    file: Path, kind: str, change: Callable[[dict[str, Tensor]], None]
) -> None:
    with_tensors(file, KEYS[kind], change)
    loaded(file)


@pytest.mark.fault(
    "weights of another wiring", "checkpoint, load_state_dict", "one line, nothing is loaded"
)
@pytest.mark.parametrize("kind", ["nsac"], indirect=True)
def test_weights_of_another_wiring_are_refused(file: Path) -> None:
    options = {"heads": 8, "wiring_seed": 7}
    with_header(file, "nsac_drive", method_options=options)
    assert "of another wiring" in loaded(file)
    with pytest.raises(RuntimeError, match="another wiring"):
        NSAC(4, 1, wiring_seed=1).load_state_dict(NSAC(4, 1, wiring_seed=2).state_dict())


def test_the_bundled_checkpoints_have_no_digest_and_load_all_the_same() -> None:
    for file in BUNDLED.values():
        assert "sha256" not in tensor_file.words_of(file)
        assert policies.load(file).name == file.stem


@pytest.fixture
def state(tmp_path: Path) -> Path:
    weights = {"a": torch.ones(4, 3), "b": torch.zeros(3)}
    state = FittingState(
        weights,
        {name: 2 * tensor for name, tensor in weights.items()},
        {"0.step": torch.tensor(3.0)},
        1,
        0.5,
        [{"number": 1, "train": {}}],
    )
    save_state(state, tmp_path / "state.safetensors")
    return tmp_path / "state.safetensors"


@pytest.mark.fault(
    "truncated, empty, another kind, bits flipped",
    "state of an interrupted nsac-train",
    "one line that names the file and says to remove it",
)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_training_state_is_refused(state: Path, damage: Damage) -> None:
    damage(state)
    with pytest.raises(FittingStateError, match="remove it to begin") as refused:
        load_state(state)
    check_line(str(refused.value), str(state))


@pytest.mark.fault("wrong header", "state of an interrupted nsac-train", "one line")
@pytest.mark.parametrize("header", ["[]", "{}", "[" * 100_000, '{"best_epoch": "1"}', "1"])
def test_a_training_state_with_a_wrong_header_is_refused(state: Path, header: str) -> None:
    save_file(load_file(state), state, metadata={"fitting": header})
    with pytest.raises(FittingStateError) as refused:
        load_state(state)
    check_line(str(refused.value), str(state))


@pytest.mark.fault(
    "truncated, empty, another kind, bits flipped",
    "state of an interrupted nsac-train --expert ppo",
    "one line that names the file and says to remove its folder",
)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_state_of_the_expert_is_refused(tmp_path: Path, damage: Damage) -> None:
    network = torch.nn.Linear(3, 2)
    optimiser = torch.optim.Adam(network.parameters())
    file = tmp_path / "state.safetensors"
    ppo_state.save_state(file, network, optimiser, ppo_state.Progress(steps=7))
    assert ppo_state.load_state(file, network, optimiser).steps == 7
    damage(file)
    with pytest.raises(PolicyError, match="remove its folder") as refused:
        ppo_state.load_state(file, network, optimiser)
    check_line(str(refused.value), str(file))
