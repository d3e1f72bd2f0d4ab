"""Training of the expert: learns, imitates, freezes, resumes, selects, refuses bad input."""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv

import policies
from policies import Decision, PolicyError, checkpoint, cli
from policies.checkpoint import Header
from policies.demonstrations import Demonstrations, Episode
from policies.ppo import driver
from policies.ppo import train as training
from policies.ppo.callback import ExpertCallback
from policies.ppo.cloning import clone
from policies.ppo.config import CloningConfig, PPOConfig, WorldConfig
from policies.ppo.driver import ExpertDriver
from policies.ppo.network import Actor
from policies.ppo.sb3_policy import BetaPolicy
from policies.ppo.schedule import learning_rate
from policies.ppo.state import Progress, load_state, save_state
from policies.ppo.train import train_expert
from policies.ppo.validation import ValidationTracks
from policies.ppo.world import TrainingWorld

TINY = WorldConfig(workers=2, repeat=8, stalled_frames=40)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


class Bright(gymnasium.Env[NDArray[np.uint8], NDArray[np.float32]]):
    """A picture of one brightness; the reward falls with the distance of the action from it."""

    observation_space = spaces.Box(0, 255, (4, 84, 84), np.uint8)
    action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(
        self,
        *,
        seed: int | None = None,  # noqa: ARG002
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        self._rng = np.random.default_rng(0)
        return self._show(), {}

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        wanted = np.array([self._bright, -self._bright]) / 255 - [0.5, -0.5]
        reward = -float(np.abs(action - wanted).sum())
        return self._show(), reward, False, False, {}

    def _show(self) -> NDArray[np.uint8]:
        self._bright = int(self._rng.integers(256))
        return np.full((4, 84, 84), self._bright, np.uint8)


def test_ppo_learns_what_a_picture_asks_for() -> None:
    model = PPO(
        BetaPolicy,
        Bright(),
        learning_rate=2e-3,
        n_steps=128,
        batch_size=32,
        n_epochs=4,
        gamma=0.0,
        seed=0,
        policy_kwargs={"half_precision": True},
        device="cpu",
    )
    pictures = torch.stack([torch.full((4, 84, 84), b).byte() for b in (25, 128, 230)])
    policy = model.policy
    assert isinstance(policy, BetaPolicy)
    wanted = torch.tensor([[-0.4, 0.4], [0.0, 0.0], [0.4, -0.4]])
    before = (policy.actor(pictures) - wanted).abs().mean()
    model.learn(768)
    after = (policy.actor(pictures) - wanted).abs().mean()
    assert after < 0.6 * before


@pytest.mark.parametrize(("encoder", "epochs"), [("stack", 4), ("strided", 40)])
def test_the_actor_imitates_demonstrations(encoder: str, epochs: int) -> None:
    rng = np.random.default_rng(0)
    steps = 600
    bright = rng.integers(0, 256, steps)
    frames = np.zeros((steps + 3, 84, 84), np.uint8)
    frames[3:] = bright[:, None, None]
    gas = (bright > 128).astype(np.float32)
    actions = np.stack([0 * gas, gas, 1 - gas], axis=1)  # no steering: a mirror changes nothing
    data = Demonstrations(frames, actions, (Episode("a", 0, 0, 0, steps),), stack=4)
    torch.manual_seed(0)
    actor = Actor(encoder)
    lines: list[str] = []
    error = clone(actor, data, CloningConfig(epochs=epochs, batch=32), rng, lines.append)
    assert error < 0.15
    assert len(lines) == epochs
    dark_and_bright = torch.stack([torch.full((4, 84, 84), b).byte() for b in (30, 220)])
    pedal = actor(dark_and_bright)[:, 1]
    assert pedal[0] < -0.7
    assert pedal[1] > 0.7


def test_the_rate_warms_the_critic_stays_and_falls_to_zero() -> None:
    config = PPOConfig(Path("a.safetensors"), steps=900, learning_rate=1e-4)
    cloned = dataclasses.replace(
        config,
        init_from_demonstrations=("a-v0",),
        cloning=CloningConfig(critic_warmup=90, critic_rate=5e-4),
    )
    assert learning_rate(config, 1.0) == learning_rate(config, 0.4) == 1e-4
    assert learning_rate(config, 1 / 6) == pytest.approx(0.5e-4)
    assert learning_rate(config, 0.0) == 0.0
    assert learning_rate(cloned, 0.95) == 5e-4
    assert learning_rate(cloned, 0.85) == 1e-4


def tiny(folder: Path, **changes: Any) -> PPOConfig:  # noqa: ANN401 - any field
    config = PPOConfig(
        folder / "expert.safetensors",
        steps=96,
        world=TINY,
        rollout=32,
        batch=16,
        epochs=1,
        validate_every=64,
        validation_seeds=(1000, 1001),
        quiet=True,
    )
    return dataclasses.replace(config, **changes)


def test_an_interrupted_run_goes_on_from_its_last_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny(tmp_path, tensorboard=tmp_path / "tensorboard")
    begin = ExpertCallback._on_rollout_start

    def interrupt(callback: ExpertCallback) -> None:
        begin(callback)
        if callback.num_timesteps == 64:
            raise KeyboardInterrupt

    monkeypatch.setattr(ExpertCallback, "_on_rollout_start", interrupt)
    with pytest.raises(KeyboardInterrupt):
        train_expert(config)
    assert not config.out.exists()
    with pytest.raises(PolicyError, match="unfinished run with other settings"):
        train_expert(dataclasses.replace(config, gamma=0.9))
    with monkeypatch.context() as patch:
        patch.setattr(training, "_sources", lambda _: {"fingerprint": "of other demonstrations"})
        with pytest.raises(PolicyError, match="settings or data"):
            train_expert(config)
    monkeypatch.setattr(ExpertCallback, "_on_rollout_start", begin)
    assert train_expert(config) == config.out
    header = driver.read_header(config.out)
    assert [entry["steps"] for entry in header.results["course"]] == [0, 64, 96]
    best = max(entry["mean"] for entry in header.results["course"])
    assert header.results["validation"]["mean"] == best
    assert header.repeat == 8
    assert header.config["steps"] == 96
    assert policies.load(config.out).name == "expert"
    assert list((tmp_path / "tensorboard").iterdir())
    assert sorted(tmp_path.iterdir()) == sorted([config.out, tmp_path / "tensorboard"])
    written = config.out.stat().st_mtime_ns
    train_expert(config)
    assert config.out.stat().st_mtime_ns == written


def test_the_training_tells_of_itself_from_its_start_unless_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train_expert(tiny(tmp_path, steps=32, quiet=False))
    told = capsys.readouterr()
    words = [line.partition(":")[0] for line in told.err.splitlines()]
    assert words == ["starting 2 worlds", "validating", "training", "updating"]
    assert [json.loads(line)["steps"] for line in told.out.splitlines()] == [0, 32]
    train_expert(tiny(tmp_path, steps=32, quiet=True, seed=1, out=tmp_path / "b.safetensors"))
    assert capsys.readouterr() == ("", "")


def test_a_cloned_actor_is_frozen_while_the_critic_warms_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[float, float]] = []
    begin = ExpertCallback._on_rollout_start

    def watch(callback: ExpertCallback) -> None:
        begin(callback)
        policy = callback._policy
        sums = [
            sum(w.double().sum().item() for w in part.parameters())
            for part in (policy.actor, policy.critic)
        ]
        seen.append((sums[0], sums[1]))

    monkeypatch.setattr(ExpertCallback, "_on_rollout_start", watch)
    monkeypatch.setattr(training, "_sources", lambda _: {"names": ["a-v0"]})
    monkeypatch.setattr(training, "_start", lambda *_: {})
    warm = CloningConfig(critic_warmup=64)
    one = dataclasses.replace(TINY, workers=1)
    start = {"init_from_demonstrations": ("a-v0",), "cloning": warm}
    train_expert(tiny(tmp_path, world=one, steps=128, **start))
    actor, critic = zip(*seen, strict=True)
    assert actor[0] == actor[1] == actor[2] != actor[3]
    assert len(set(critic)) == 4


def test_the_workers_see_the_features_of_a_cloned_policys_encoder(tmp_path: Path) -> None:
    torch.manual_seed(0)
    header = Header("nsac", encoder="strided")
    method = checkpoint.build_method(header)
    for name, statistic in method.encoder.named_buffers():  # as if it had been trained
        if name.endswith("running_mean"):
            torch.nn.init.normal_(statistic)
    checkpoint.save(tmp_path / "cloned.safetensors", method, header)
    one = dataclasses.replace(TINY, workers=1)
    config = tiny(tmp_path, world=one, encoder_of=str(tmp_path / "cloned.safetensors"), steps=32)
    worlds = training._worlds(config.world, [0])
    assert isinstance(worlds, DummyVecEnv)
    model = training._model(config, worlds)
    assert model.env is not None
    features = model.env.reset()
    world = worlds.envs[0].unwrapped
    assert isinstance(world, TrainingWorld)
    stacks = torch.from_numpy(world._stack.stacked)
    assert isinstance(features, np.ndarray)
    with torch.no_grad():
        expected = method.eval().encode(stacks).flatten(1)
    assert np.allclose(features, expected, atol=1e-5)
    train_expert(config)
    loaded = driver.load(config.out)
    trained = loaded.actor.encoder.state_dict()
    for name, weight in method.encoder.state_dict().items():
        assert torch.equal(trained[f"frames.{name}"], weight), name
    told = driver.read_header(config.out)
    assert told.encoder == "strided"
    assert told.data["encoder_of"] == config.encoder_of
    content = (tmp_path / "cloned.safetensors").read_bytes()
    assert told.data["encoder_sha256"] == hashlib.sha256(content).hexdigest()
    assert training._is_trained(config, training._sources(config))
    retold = dataclasses.replace(header, command="another training")
    checkpoint.save(tmp_path / "cloned.safetensors", method, retold)
    assert not training._is_trained(config, training._sources(config))


def test_the_state_holds_weights_moments_and_progress(tmp_path: Path) -> None:
    torch.manual_seed(0)
    pair = [torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)]
    optimisers = [torch.optim.Adam(module.parameters()) for module in pair]
    x = torch.randn(5, 3)

    def step(i: int) -> None:
        optimisers[i].zero_grad()
        pair[i](x).square().sum().backward()
        optimisers[i].step()

    step(0)
    progress = Progress(steps=7, best=3.5, failed=[[1], []], course=[{"mean": 3.5}])
    save_state(tmp_path / "state.safetensors", pair[0], optimisers[0], progress)
    assert load_state(tmp_path / "state.safetensors", pair[1], optimisers[1]) == progress
    step(0)
    step(1)
    assert torch.equal(pair[0].weight, pair[1].weight)
    (tmp_path / "state.safetensors").write_bytes(b"cut")
    with pytest.raises(PolicyError, match=r"state.safetensors: not a whole safetensors file"):
        load_state(tmp_path / "state.safetensors", pair[1], optimisers[1])


class Forward:
    """Drives straight on."""

    name = "forward"
    observation = ExpertDriver.observation

    def reset(self, n: int, seed: int = 0) -> None:
        pass

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        return Decision.certain(np.tile([0.0, 0.2, 0.0], (len(observations), 1)))


def test_validation_drives_to_the_end_of_the_episode() -> None:
    laps = ValidationTracks([1000, 1001]).drive(Forward())
    plain = gymnasium.make("nsac/CarRacing-v0", renderer="none")
    for seed, total, frames in zip((1000, 1001), laps.returns, laps.frames, strict=True):
        plain.reset(seed=seed)
        expected, steps, over = 0.0, 0, False
        while not over:
            _, reward, ended, late, _ = plain.step(np.array([0.0, 0.2, 0.0]))
            expected, steps, over = expected + float(reward), steps + 1, ended or late
        assert total == pytest.approx(expected)
        assert frames == steps
    assert laps.summary()["mean"] == pytest.approx(np.mean(laps.returns))
    assert laps.summary()["completed"] == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"out": Path("a.zip")}, "out must end in .safetensors"),
        ({"steps": 0}, "steps must be positive"),
        ({"rollout": 33}, "rollout must be a multiple of 2 workers"),
        ({"validation_seeds": (1950, 2001)}, "must not touch 2000-2099"),
        ({"validation_seeds": (5, 5)}, "must be first < end"),
        ({"world": WorldConfig(first_seed=1050)}, "world.first_seed must lie beyond"),
    ],
)
def test_a_bad_configuration_is_named(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        train_expert(tiny(tmp_path, **changes))


def test_the_command_names_a_fault_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--expert", "ppo", "--out", "expert.zip"])
    assert caught.value.code == 2
    assert "out must end in .safetensors, got expert.zip" in capsys.readouterr().err


def test_the_configuration_is_stored_as_json(tmp_path: Path) -> None:
    assert json.loads(json.dumps(tiny(tmp_path).plain()))["world"]["workers"] == 2
