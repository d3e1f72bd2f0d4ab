"""Trains the PPO expert with stable-baselines3 on the fast world."""

import json
import multiprocessing
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, configure
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from policies import demonstrations
from policies.errors import PolicyError
from policies.memory import keep_freed_memory
from policies.ppo import driver
from policies.ppo.cloning import clone, share_start
from policies.ppo.config import PPOConfig, WorldConfig
from policies.ppo.driver import ExpertDriver, ExpertHeader
from policies.ppo.sb3_policy import BetaPolicy
from policies.ppo.state import Progress, load_state, save_state
from policies.ppo.validation import ValidationTracks
from policies.ppo.world import TrainingWorld

Report = Callable[[str], None]
BEST = "best.safetensors"
"""The best weights so far, a whole checkpoint, in the folder of the unfinished run."""


def train_expert(config: PPOConfig) -> Path:
    """Trains the expert and writes the weights that validated best.

    An interrupted run is resumed by repeating it, from the last save: weights, moments, steps,
    schedule, failed tracks and course. The workers start new laps. A checkpoint of the same
    configuration is left as it is.

    Returns:
        The checkpoint, ``config.out``.

    Raises:
        PolicyError: The configuration, or the state to resume from, cannot be used.
        demonstrations.DemonstrationError: A data set to start from cannot be read.
    """
    config.check()
    if _is_trained(config):
        return config.out
    keep_freed_memory()
    folder = _state_folder(config)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        _train(config, folder)
    finally:
        torch.set_num_threads(threads)
    (folder / BEST).replace(config.out)
    shutil.rmtree(folder)
    return config.out


def _train(config: PPOConfig, folder: Path) -> None:
    report: Report = _ignore if config.quiet else partial(print, flush=True)
    state = folder / "state.safetensors"
    resumed = state.is_file()
    worlds = _worlds(config.world, [config.seed, _steps_of(folder)])
    try:
        model = _model(config, worlds)
        policy = model.policy
        assert isinstance(policy, BetaPolicy)
        if resumed:
            progress = load_state(state, policy, policy.optimizer)
            _restore(model, progress, worlds)
        else:
            progress = Progress(data=_start(config, policy, report))
        callback = ExpertCallback(config, folder, progress, report)
        model.learn(
            max(config.steps - progress.steps, 0), callback, reset_num_timesteps=not resumed
        )
        callback.finish()
    finally:
        worlds.close()


def _model(config: PPOConfig, worlds: VecEnv) -> PPO:
    model = PPO(
        BetaPolicy,
        worlds,
        learning_rate=partial(learning_rate, config),
        n_steps=config.rollout // config.world.workers,
        batch_size=config.batch,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        target_kl=config.target_kl,
        ent_coef=config.entropy,
        policy_kwargs={"half_precision": config.half_precision},
        seed=config.seed,
        device="cpu",
    )
    folder = config.tensorboard
    logger = configure(str(folder), ["tensorboard"]) if folder else Logger(None, [])
    model.set_logger(logger)
    return model


def learning_rate(config: PPOConfig, remaining: float) -> float:
    """The rate when that share of the training remains: constant, then falling to zero."""
    if (1.0 - remaining) * config.steps < _warmup(config):
        return config.cloning.critic_rate
    return config.learning_rate * min(1.0, remaining / (1.0 - config.constant_share))


def _warmup(config: PPOConfig) -> int:
    """Decisions during which the actor is frozen."""
    return config.cloning.critic_warmup if config.init_from_demonstrations else 0


def _start(config: PPOConfig, policy: BetaPolicy, report: Report) -> dict[str, Any]:
    """Lets the actor imitate demonstrations, where there are any; returns what they were."""
    names = config.init_from_demonstrations
    if not names:
        return {}
    frames = ExpertDriver.observation.frames
    data = demonstrations.load(names, config.data_root, frames)
    report(f"cloning {len(data.episodes)} episodes, {data.steps} steps")
    rng = np.random.default_rng(config.seed)
    error = clone(policy.actor, data, config.cloning, rng, report)
    share_start(policy.actor, policy.critic)
    return {
        "names": list(names),
        "episodes": len(data.episodes),
        "steps": data.steps,
        "fingerprint": data.fingerprint(),
        "squared_error": error,
    }


def _restore(model: PPO, progress: Progress, worlds: VecEnv) -> None:
    model.num_timesteps = progress.steps
    model._n_updates = progress.updates
    torch.manual_seed((model.seed or 0) + progress.steps)
    for i, failed in enumerate(progress.failed):
        worlds.env_method("remember", failed, indices=[i])


def _worlds(config: WorldConfig, seed: list[int]) -> VecEnv:
    """The workers' worlds; the second half is mirrored."""
    makers: list[Callable[[], gymnasium.Env[Any, Any]]] = [
        partial(
            TrainingWorld,
            config,
            np.random.default_rng([*seed, i]),
            mirrored=config.mirror and i >= (config.workers + 1) // 2,
        )
        for i in range(config.workers)
    ]
    if config.workers == 1:
        return DummyVecEnv(makers)
    # Forked by a server that has imported the libraries already, the workers share them, and
    # hold no end of each other's pipes: should this process die, all of them end.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    if method == "forkserver":
        multiprocessing.get_context(method).set_forkserver_preload([TrainingWorld.__module__])
    return SubprocVecEnv(makers, start_method=method)


class ExpertCallback(BaseCallback):
    """Freezes the actor at first, validates, keeps the best weights, and saves the state.

    Args:
        config: Of the training.
        folder: For the state and the best weights so far.
        progress: Kept up to date.
        report: Told a line at each validation.
    """

    def __init__(self, config: PPOConfig, folder: Path, progress: Progress, report: Report) -> None:
        super().__init__()
        self.config = config
        self.progress = progress
        self._folder = folder
        self._report = report
        self._tracks = ValidationTracks(range(*config.validation_seeds))
        self._began = time.monotonic() - progress.seconds
        self._saved = time.monotonic()
        self._laps: list[dict[str, Any]] = []

    def _on_step(self) -> bool:
        self._laps += [info["episode"] for info in self.locals["infos"] if "episode" in info]
        return True

    def _on_rollout_start(self) -> None:
        """Between rollouts: validates and saves when it is time, and thaws the actor."""
        self._note_progress()
        last = self.progress.course[-1]["steps"] if self.progress.course else None
        if last is None or self.num_timesteps - last >= self.config.validate_every:
            self._validate()
            self._save()
        elif time.monotonic() - self._saved > 60.0 * self.config.save_minutes:
            self._save()
        self._policy.actor.requires_grad_(self.num_timesteps >= _warmup(self.config))

    def finish(self) -> None:
        """Validates the last weights, and tells the best ones the whole course."""
        self._note_progress()
        if self.progress.course[-1]["steps"] < self.num_timesteps:
            self._validate()
        self._save()
        self._tracks.close()
        driver.retitle(self._folder / BEST, course=self.progress.course)

    @property
    def _policy(self) -> BetaPolicy:
        policy = self.model.policy
        assert isinstance(policy, BetaPolicy)
        return policy

    def _note_progress(self) -> None:
        assert isinstance(self.model, PPO)
        self.progress.steps = self.num_timesteps
        self.progress.updates = self.model._n_updates
        self.progress.seconds = time.monotonic() - self._began

    def _validate(self) -> None:
        actor, repeat = self._policy.actor, self.config.world.repeat
        half = actor.encoder.half_precision
        actor.encoder.half_precision = False
        summary = self._tracks.drive(ExpertDriver(actor, repeat=repeat)).summary()
        actor.encoder.half_precision = half
        trained = self._laps[-100:]
        entry = {
            "steps": float(self.num_timesteps),
            "minutes": round((time.monotonic() - self._began) / 60.0, 1),
            **{name: round(value, 3) for name, value in summary.items()},
        }
        if trained:
            entry["explored_mean"] = round(float(np.mean([lap["r"] for lap in trained])), 1)
            entry["explored_laps"] = round(float(np.mean([lap["lap"] for lap in trained])), 2)
        self.progress.course.append(entry)
        self._report(json.dumps(entry))
        for name, value in summary.items():
            self.logger.record(f"validation/{name}", value)
        if summary["mean"] > self.progress.best:
            self.progress.best = summary["mean"]
            header = _header(self.config, self.progress, entry)
            driver.save(self._folder / BEST, actor, header)

    def _save(self) -> None:
        self._saved = time.monotonic()
        self.progress.failed = self.training_env.get_attr("failed")
        state = self._folder / "state.safetensors"
        save_state(state, self._policy, self._policy.optimizer, self.progress)


def _header(config: PPOConfig, progress: Progress, best: dict[str, float]) -> ExpertHeader:
    return ExpertHeader(
        repeat=config.world.repeat,
        command=shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        config=_plain(config),
        data=progress.data,
        results={"validation": best, "course": progress.course},
    )


def _is_trained(config: PPOConfig) -> bool:
    """Whether the checkpoint to write is there, made from this configuration."""
    if not driver.is_expert(config.out):
        return False
    return driver.read_header(config.out).config == _plain(config)


def _plain(config: PPOConfig) -> dict[str, Any]:
    """The configuration as JSON values."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(config), default=str))
    return values


def _state_folder(config: PPOConfig) -> Path:
    """The folder of an unfinished run, which must be a run of this very configuration.

    Raises:
        PolicyError: If it is another's.
    """
    folder = config.out.with_suffix(".unfinished")
    described = json.dumps(_plain(config), indent=1, sort_keys=True)
    file = folder / "config.json"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(described)
    elif file.read_text() != described:
        raise PolicyError(
            f"{folder}: an unfinished run with other settings: repeat its command (config.json), "
            "or remove the folder"
        )
    return folder


def _steps_of(folder: Path) -> int:
    """Time of the last save, so that resumed workers draw other tracks."""
    state = folder / "state.safetensors"
    return int(state.stat().st_mtime) if state.is_file() else 0


def _ignore(line: str) -> None:
    """Prints nothing."""
