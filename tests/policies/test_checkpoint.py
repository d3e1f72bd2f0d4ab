"""Checkpoints: a round trip, and one clear line for every way a file can be wrong."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from drive.observation import ObservationSpec
from maps.files import whole
from policies import PolicyError, checkpoint
from policies.checkpoint import Header
from policies.driving_policy import DrivingPolicy

HEADER = Header(
    "nsac",
    {"heads": 8},
    n_samples=3,
    command="nsac-train --data carracing/a-v0",
    config={"epochs": 2},
    data={"episodes": 4, "fingerprint": "ab"},
    results={"mse_steer": 0.5},
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    path = tmp_path / "driver.safetensors"
    checkpoint.save(path, checkpoint.build_method(HEADER), HEADER)
    return path


def rewrite_header(path: Path, change: Callable[[dict[str, object]], None]) -> None:
    with safe_open(path, framework="pt") as opened:
        values = json.loads(opened.metadata()["nsac_drive"])
    change(values)
    save_file(load_file(path), path, metadata={"nsac_drive": json.dumps(values)})


def rewrite_tensors(path: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> None:
    with safe_open(path, framework="pt") as opened:
        metadata = {"nsac_drive": opened.metadata()["nsac_drive"]}
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path, metadata=metadata)


def test_a_loaded_policy_decides_as_the_saved_one(file: Path) -> None:
    torch.manual_seed(0)
    saved = DrivingPolicy(checkpoint.build_method(HEADER), "driver", n_samples=3)
    loaded = checkpoint.load(file)
    observations = np.random.default_rng(0).integers(0, 256, (2, 4, 84, 84), dtype=np.uint8)
    for policy in (saved, loaded):
        policy.reset(2, seed=7)
    assert np.array_equal(saved.act(observations).mean, loaded.act(observations).mean)
    assert (loaded.name, loaded.n_samples) == ("driver", 3)


def test_the_header_survives(file: Path) -> None:
    assert checkpoint.read(file)[0] == HEADER


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()

    def fail(*_args: object, **_options: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(whole, "_sync", fail)
    with pytest.raises(OSError, match="disk full"):
        checkpoint.save(file, checkpoint.build_method(HEADER), HEADER)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def no_safetensors(path: Path) -> None:
    path.write_bytes(b"\x80\x04\x95 pickled")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def no_header(path: Path) -> None:
    save_file(load_file(path), path)


def lost_tensor(path: Path) -> None:
    rewrite_tensors(path, lambda tensors: tensors.__delitem__("encoder.conv1.weight"))


def unknown_tensor(path: Path) -> None:
    rewrite_tensors(path, lambda tensors: tensors.update(stranger=torch.ones(1)))


def wrong_shape(path: Path) -> None:
    rewrite_tensors(path, lambda tensors: tensors.update({"encoder.conv1.bias": torch.ones(3)}))


def newer(path: Path) -> None:
    rewrite_header(path, lambda values: values.update(format_version=99))


def unknown_method(path: Path) -> None:
    rewrite_header(path, lambda values: values.update(method="oracle"))


def unknown_option(path: Path) -> None:
    rewrite_header(path, lambda values: values.update(method_options={"colour": 1}))


def unknown_encoder(path: Path) -> None:
    rewrite_header(path, lambda values: values.update(encoder="vgg"))


def unknown_field(path: Path) -> None:
    rewrite_header(path, lambda values: values.update(surprise=1))


def foreign_observation(path: Path) -> None:
    rewrite_header(path, lambda values: values.update(observation={"kind": "rgb96", "frames": 4}))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (truncate, "not a whole safetensors file"),
        (no_safetensors, "not a whole safetensors file"),
        (empty, "not a whole safetensors file"),
        (Path.unlink, "no such checkpoint"),
        (no_header, "no checkpoint of nsac-drive"),
        (lost_tensor, r"lacks 1 tensors, the first is 'encoder\.conv1\.weight'"),
        (unknown_tensor, "has unknown 1 tensors, the first is 'stranger'"),
        (wrong_shape, r"'encoder\.conv1\.bias' is \(3,\), expected \(32,\)"),
        (newer, "format 99 is newer than 2"),
        (unknown_method, "no uncertainty method 'oracle'"),
        (unknown_option, "colour"),
        (unknown_encoder, "no encoder 'vgg'; there are colour, conv"),
        (unknown_field, "damaged header.*surprise"),
        (foreign_observation, "is not that of its encoder 'conv'"),
    ],
)
def test_a_fault_is_one_line_that_names_file_and_fault(
    file: Path, damage: Callable[[Path], None], words: str
) -> None:
    damage(file)
    with pytest.raises(PolicyError, match=words) as caught:
        checkpoint.load(file)
    message = str(caught.value)
    assert message.startswith(str(file))
    assert "\n" not in message


def test_an_observation_other_than_the_callers_is_refused(file: Path) -> None:
    assert checkpoint.load(file, ObservationSpec("gray84", 4)).name == "driver"
    with pytest.raises(PolicyError, match=r"reads .*gray84.* to be shown .*rgb96"):
        checkpoint.load(file, ObservationSpec("rgb96", 4))


def test_half_weights_are_half_the_file_and_nearly_the_same_driver(tmp_path: Path) -> None:
    torch.manual_seed(0)
    method = checkpoint.build_method(HEADER)
    whole, half = tmp_path / "whole.safetensors", tmp_path / "half.safetensors"
    checkpoint.save(whole, method, HEADER)
    checkpoint.save(half, method, HEADER, weights="float16")
    assert half.stat().st_size < 0.6 * whole.stat().st_size
    for name, tensor in checkpoint.read(half)[1].items():
        assert tensor.dtype == method.state_dict()[name].dtype
        torch.testing.assert_close(tensor, method.state_dict()[name], rtol=2**-11, atol=1e-7)
    observations = np.random.default_rng(0).integers(0, 256, (2, 4, 84, 84), dtype=np.uint8)
    means = []
    for file in (whole, half):
        policy = checkpoint.load(file)
        policy.reset(2, seed=7)
        means.append(policy.act(observations).mean)
    assert np.allclose(means[0], means[1], atol=5e-3)


def test_a_weight_beyond_half_precision_is_refused(tmp_path: Path) -> None:
    method = checkpoint.build_method(HEADER)
    with torch.no_grad():
        method.encoder.get_parameter("conv1.weight")[0] = 1e6
    with pytest.raises(PolicyError, match=r"conv1\.weight.*float16"):
        checkpoint.save(tmp_path / "policy.safetensors", method, HEADER, weights="float16")
    assert not list(tmp_path.iterdir())


def test_weights_that_have_diverged_are_refused_as_they_would_be_when_loaded(
    tmp_path: Path,
) -> None:
    method = checkpoint.build_method(HEADER)
    with torch.no_grad():
        method.encoder.get_parameter("conv1.weight")[0] = float("inf")
    with pytest.raises(PolicyError, match=r"conv1\.weight.*no finite numbers"):
        checkpoint.save(tmp_path / "policy.safetensors", method, HEADER)
    assert not list(tmp_path.iterdir())
