"""Archives of stable-baselines3: what they see and do is what stable-baselines3 says."""

import base64
import json
import pickle
import tracemalloc
import zipfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import A2C, DDPG, PPO, SAC, TD3
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecEnv,
    VecFrameStack,
    VecTransposeImage,
)

import policies
from drive.carracing.observations import FrameStack
from drive.observation import ObservationKind, ObservationSpec
from policies import PolicyError

LOW, HIGH = np.array([-1, 0, 0], np.float32), np.ones(3, np.float32)
CAR = spaces.Box(LOW, HIGH)
SMALL = {"features_extractor_kwargs": {"features_dim": 8}, "net_arch": [8]}
ALGORITHMS: dict[str, tuple[type[BaseAlgorithm], dict[str, Any]]] = {
    "ppo": (PPO, {"n_steps": 4, "batch_size": 4}),
    "a2c": (A2C, {}),
    "sac": (SAC, {"buffer_size": 4}),
    "td3": (TD3, {"buffer_size": 4}),
    "ddpg": (DDPG, {"buffer_size": 4}),
}


class Pictures(gymnasium.Env[NDArray[np.uint8], NDArray[np.float32]]):
    """Shows random pictures, the same ones each time."""

    def __init__(self, shape: tuple[int, ...], actions: spaces.Space[Any] = CAR) -> None:
        self.observation_space = spaces.Box(0, 255, shape, np.uint8)
        self.action_space = actions
        self.rng = np.random.default_rng(1)

    def reset(self, **_: object) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        return self._picture(), {}

    def step(self, _: object) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        return self._picture(), 0.0, False, False, {}

    def _picture(self) -> NDArray[np.uint8]:
        return self.rng.integers(0, 256, self.observation_space.shape, dtype=np.uint8)


def worlds(shape: tuple[int, ...], frames: int = 1, actions: spaces.Space[Any] = CAR) -> VecEnv:
    """As stable-baselines3's users make them: two worlds, stacked frames."""
    made = DummyVecEnv([lambda: Pictures(shape, actions)] * 2)
    return VecFrameStack(made, frames) if frames > 1 else made


def archive(path: Path, worlds: VecEnv, name: str = "ppo") -> Path:
    algorithm, options = ALGORITHMS[name]
    kind = "CnnPolicy" if len(worlds.observation_space.shape or ()) == 3 else "MlpPolicy"
    kwargs = deepcopy(SMALL) if kind == "CnnPolicy" else {"net_arch": [8]}  # it is changed
    algorithm(kind, worlds, policy_kwargs=kwargs, seed=0, **options).save(path)
    return path


def tampered(path: Path, field: str, bomb: object) -> None:
    """Puts a pickle in place of one of an archive."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    data = json.loads(content["data"])
    data[field] = {":type:": "x", ":serialized:": base64.b64encode(pickle.dumps(bomb)).decode()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, json.dumps(data) if name == "data" else text)


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.write_text, (self.file, "boom")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_drives_as_its_own_predict(name: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "model.zip", worlds((84, 84, 1), 4), name)
    stacks = np.random.default_rng(0).integers(0, 256, (5, 4, 84, 84), dtype=np.uint8)
    policy = policies.load(path, trust=True)
    assert policy.name == "model"
    assert policy.observation == ObservationSpec("gray84", 4)
    expected, _ = ALGORITHMS[name][0].load(path).predict(stacks, deterministic=True)
    assert np.ptp(expected, axis=0).max() > 0  # it looks at the picture
    policy.reset(5)
    np.testing.assert_array_equal(policy.act(stacks).action, np.clip(expected, LOW, HIGH))


@pytest.mark.parametrize(
    ("shape", "frames", "kind"),
    [((84, 84, 1), 4, "gray84"), ((96, 96, 3), 1, "rgb96"), ((96, 96, 3), 2, "rgb96")],
)
def test_pictures_lie_as_stable_baselines_lays_them(
    shape: tuple[int, ...], frames: int, kind: ObservationKind, tmp_path: Path
) -> None:
    """The same pictures through VecFrameStack and VecTransposeImage, and through our stack."""
    stacked: Any = worlds(shape, frames)
    theirs: Any = VecTransposeImage(stacked)
    path = archive(tmp_path / "model.zip", theirs)
    for seed, world in enumerate(stacked.unwrapped.envs):
        world.unwrapped.rng = np.random.default_rng(seed)
    seen = [theirs.reset(), *(theirs.step(np.zeros((2, 3)))[0].copy() for _ in range(5))]

    policy, model = policies.load(path, trust=True), PPO.load(path)
    assert policy.observation == ObservationSpec(kind, frames)
    rngs = [np.random.default_rng(seed) for seed in range(2)]
    stack = FrameStack(2, frames, policy.observation.shape[1:])
    for observations in seen:
        newest = np.stack([rng.integers(0, 256, shape, dtype=np.uint8) for rng in rngs])
        action = policy.act(stack.push(newest)).action
        expected, _ = model.predict(observations, deterministic=True)
        np.testing.assert_allclose(action, expected, atol=1e-7)  # by another order of sums
        other, _ = model.predict(np.flip(observations, 1).copy(), deterministic=True)
        assert np.abs(other - expected).max() > 1e-5  # so an order that is wrong would show


def test_frames_may_come_first_or_be_a_camera(tmp_path: Path) -> None:
    path = archive(tmp_path / "first.zip", worlds((4, 84, 84)))
    assert policies.load(path, trust=True).observation == ObservationSpec("gray84", 4)
    wheel = spaces.Box(-1, 1, (1,), np.float32)
    path = archive(tmp_path / "camera.zip", worlds((160, 320, 3), actions=wheel))
    policy = policies.load(path, trust=True)
    assert policy.observation == ObservationSpec("camera", 1)
    frames = np.random.default_rng(0).integers(0, 256, (2, 1, 160, 320, 3), dtype=np.uint8)
    expected, _ = PPO.load(path).predict(frames[:, 0], deterministic=True)
    np.testing.assert_allclose(policy.act(frames).action, expected, atol=1e-7)


def test_without_trust_nothing_is_unpickled(tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    path = archive(tmp_path / "model.zip", worlds((84, 84, 1), 4))
    tampered(path, "policy_class", Bomb(planted))
    with pytest.raises(PolicyError, match=r"run any code while it is loaded: .* --trust") as caught:
        policies.load(path)
    assert "\n" not in str(caught.value)
    assert not planted.exists()
    with pytest.raises(PolicyError, match="no policy of stable-baselines3"):
        policies.load(path, trust=True)
    assert planted.exists()  # so the plant was real


def test_without_trust_nothing_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("data", bytes(50_000_000))
        packed.writestr("policy.pth", b"")
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(PolicyError, match="--trust"):
            policies.load(path)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_what_does_not_decide_is_not_unpickled_either(tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    path = archive(tmp_path / "model.zip", worlds((84, 84, 1), 4))
    tampered(path, "lr_schedule", Bomb(planted))
    policies.load(path, trust=True)
    assert not planted.exists()


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((64, 64, 3), r"sees \(3, 64, 64\) uint8, expected uint8 \(4, 84, 84\)"),
        ((84, 84, 3), r"sees \(3, 84, 84\) uint8"),  # in colour, or three gray ones
        ((7,), r"sees \(7,\) uint8"),
    ],
)
def test_other_shapes_are_named(shape: tuple[int, ...], words: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "model.zip", worlds(shape))
    with pytest.raises(PolicyError, match=words) as caught:
        policies.load(path, trust=True)
    assert "\n" not in str(caught.value)


def test_other_actions_are_named(tmp_path: Path) -> None:
    path = archive(tmp_path / "model.zip", worlds((96, 96, 3), actions=spaces.Discrete(5)))
    with pytest.raises(PolicyError, match=r"decides Discrete\(5\), expected a Box of 3: steer"):
        policies.load(path, trust=True)


def test_actions_between_other_limits_must_be_explained(tmp_path: Path) -> None:
    wide = spaces.Box(-1, 1, (3,), np.float32)
    path = archive(tmp_path / "model.zip", worlds((96, 96, 3), actions=wide))
    with pytest.raises(PolicyError, match=r"go from \[-1.* append \?actions=clip or"):
        policies.load(path, trust=True)
    pictures = np.random.default_rng(0).integers(0, 256, (3, 1, 96, 96, 3), dtype=np.uint8)
    given, _ = PPO.load(path).predict(pictures[:, 0], deterministic=True)
    clipped = policies.load(f"{path}?actions=clip", trust=True).act(pictures)
    np.testing.assert_allclose(clipped.action, np.clip(given, LOW, HIGH), atol=1e-7)
    rescaled = policies.load(f"{path}?actions=rescale", trust=True).act(pictures)
    by_hand = np.stack([given[:, 0], (given[:, 1] + 1) / 2, (given[:, 2] + 1) / 2], axis=1)
    np.testing.assert_allclose(rescaled.action, by_hand, atol=1e-6)


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with pytest.raises(PolicyError, match=r"model.zip: no such file"):
        policies.load(path)
    path.write_bytes(b"PK")
    with pytest.raises(PolicyError, match="no archive of stable-baselines3"):
        policies.load(path, trust=True)
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("data", "{}")
    with pytest.raises(PolicyError, match="no archive of stable-baselines3"):
        policies.load(path, trust=True)
    archive(path, worlds((96, 96, 3)))
    with pytest.raises(PolicyError, match=r"no option 'algorithm', expected actions"):
        policies.load(f"{path}?algorithm=PPO", trust=True)


def test_a_policy_can_be_sent_to_another_process(tmp_path: Path) -> None:
    policy = policies.load(archive(tmp_path / "m.zip", worlds((96, 96, 3))), trust=True)
    pictures = np.full((2, 1, 96, 96, 3), 90, dtype=np.uint8)
    sent = pickle.loads(pickle.dumps(policy))
    np.testing.assert_array_equal(sent.act(pictures).action, policy.act(pictures).action)
