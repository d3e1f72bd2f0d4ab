"""The expert as a policy: holds its actions, survives the file, and names what is wrong."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import policies
from drive.observation import ObservationSpec
from policies import PolicyError
from policies.checking import checked
from policies.ppo import driver
from policies.ppo.driver import ExpertDriver, ExpertHeader, controls
from policies.ppo.network import Actor


@pytest.fixture
def actor() -> Actor:
    torch.manual_seed(0)
    actor = Actor()
    torch.nn.init.normal_(actor.mode.weight)
    return actor.eval()


def stacks(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (n, 4, 84, 84), dtype=np.uint8)


def test_an_action_is_held_for_its_frames_and_a_reset_ends_the_hold(actor: Actor) -> None:
    policy = checked(ExpertDriver(actor, repeat=3))
    every_frame = ExpertDriver(actor, repeat=1)
    policy.reset(2)
    every_frame.reset(2)
    shown = [stacks(2, seed) for seed in range(5)]
    fresh = [every_frame.act(stack).action for stack in shown]
    driven = [policy.act(stack).action for stack in shown]
    for frame, decided in enumerate((0, 0, 0, 3, 3)):
        assert np.array_equal(driven[frame], fresh[decided])
    policy.reset(2)
    assert np.array_equal(policy.act(shown[4]).action, fresh[4])


def test_the_pedal_is_gas_above_zero_and_brake_below() -> None:
    assert np.allclose(
        controls(np.array([[-0.5, 0.7], [0.2, -0.3]])), [[-0.5, 0.7, 0.0], [0.2, 0.0, 0.3]]
    )


def test_a_checkpoint_drives_as_what_was_saved(actor: Actor, tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    driver.save(path, actor, ExpertHeader(repeat=2, command="nsac-train --expert ppo"))
    loaded = policies.load(path)
    assert isinstance(loaded, ExpertDriver)
    assert (loaded.name, loaded.repeat) == ("mine", 2)
    assert driver.read_header(path).command == "nsac-train --expert ppo"
    saved = ExpertDriver(actor)
    for policy in (loaded, saved):
        policy.reset(3)
    assert np.array_equal(loaded.act(stacks(3, 0)).action, saved.act(stacks(3, 0)).action)


def test_loading_needs_no_stable_baselines3(actor: Actor, tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    driver.save(path, actor, ExpertHeader())
    code = (
        "import sys; sys.modules['stable_baselines3'] = None; import policies; "
        f"print(policies.load({str(path)!r}).name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "mine\n"


def test_other_pictures_are_refused(actor: Actor, tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    driver.save(path, actor, ExpertHeader())
    with pytest.raises(PolicyError, match=r"mine.safetensors: reads .*gray84.* shown .*rgb96"):
        policies.load(path, ObservationSpec("rgb96", 4))
    policy = policies.load(path)
    policy.reset(2)
    with pytest.raises(PolicyError, match=r"mine: expected observations \(2, 4, 84, 84\) uint8"):
        policy.act(stacks(3, 0))


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("{", "damaged header"),
        (json.dumps({"format_version": 1}), "damaged header"),
        (json.dumps({"format_version": 99}), "expert format 99 is newer than 1"),
    ],
)
def test_a_faulty_header_is_named(actor: Actor, tmp_path: Path, header: str, words: str) -> None:
    path = tmp_path / "faulty.safetensors"
    tensors = {name: value.contiguous() for name, value in actor.state_dict().items()}
    save_file(tensors, path, metadata={driver.KEY: header})
    with pytest.raises(PolicyError, match=words):
        policies.load(path)


def test_weights_of_another_network_are_named(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    driver.save(path, Actor("strided"), ExpertHeader())
    with pytest.raises(PolicyError, match=r"other.safetensors: .*encoder.conv1.weight") as caught:
        policies.load(path)
    assert "\n" not in str(caught.value)
    driver.save(path, Actor("strided"), ExpertHeader(encoder="gone"))
    with pytest.raises(PolicyError, match=r"other.safetensors: no encoder 'gone'"):
        policies.load(path)
