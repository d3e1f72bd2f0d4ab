"""Trains the PPO expert with stable-baselines3 on the fast world."""

import multiprocessing
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.logger import Logger, configure
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from maps.files.locks import locked_file
from policies import checkpoint, demonstrations
from policies.demonstrations import Demonstrations
from policies.foreign.source import digest
from policies.loading import BUNDLED
from policies.memory import keep_freed_memory
from policies.ppo import driver
from policies.ppo.callback import BEST, ExpertCallback, Report
from policies.ppo.cloning import clone, share_start
from policies.ppo.config import PPOConfig, WorldConfig
from policies.ppo.display import Display
from policies.ppo.driver import ExpertDriver
from policies.ppo.encoded import EncodedWorlds
from policies.ppo.network import FixedEncoder
from policies.ppo.sb3_policy import BetaPolicy
from policies.ppo.schedule import learning_rate
from policies.ppo.state import Progress, load_state
from policies.ppo.world import TrainingWorld
from policies.unfinished import forget, forget_unbegun, state_folder


def train_expert(config: PPOConfig) -> Path:
    """Trains the expert and writes the weights that validated best.

    An interrupted run is resumed by repeating it, from the last save: weights, moments, steps,
    schedule, failed tracks and course. The workers start new laps. A checkpoint of the same
    configuration, demonstrations and encoder is left as it is.

    Returns:
        The checkpoint, ``config.out``.

    Raises:
        PolicyError: The configuration, or the state to resume from, cannot be used.
        demonstrations.DemonstrationError: A data set to start from cannot be read.
        maps.files.locks.LockedError: Another process is about to write the checkpoint.
        OSError: It cannot be written.
    """
    config.check()
    with locked_file(config.out):
        return _train_expert(config)


def _train_expert(config: PPOConfig) -> Path:
    sources = _sources(config)
    decisive = {**config.plain(), "data": sources}
    if _is_trained(config, sources):
        forget(config.out, decisive)
        return config.out
    keep_freed_memory()
    folder = state_folder(config.out, decisive)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with Display(config.steps, config.quiet) as display:
            _train(config, sources, folder, display)
    finally:
        torch.set_num_threads(threads)
        forget_unbegun(folder)
    (folder / BEST).replace(config.out)
    shutil.rmtree(folder)
    return config.out


def _train(config: PPOConfig, sources: dict[str, Any], folder: Path, display: Display) -> None:
    report: Report = _ignore if config.quiet else partial(print, flush=True)
    state = folder / "state.safetensors"
    resumed = state.is_file()
    count = config.world.workers
    display.stage(f"starting {count} {'world' if count == 1 else 'worlds'}")
    worlds = _worlds(config.world, [config.seed, _last_save(folder)])
    try:
        model = _model(config, worlds)
        policy = model.policy
        assert isinstance(policy, BetaPolicy)
        if resumed:
            progress = load_state(state, policy, policy.optimizer)
            _restore(config, model, progress, worlds)
            display.resume(progress.steps)
        else:
            if config.init_from_demonstrations:
                display.stage("imitating")
            progress = Progress(data={**sources, **_start(config, policy, report)})
        callback = ExpertCallback(config, folder, progress, report, display)
        model.learn(
            max(config.steps - progress.steps, 0), callback, reset_num_timesteps=not resumed
        )
        callback.finish()
    finally:
        worlds.close()


def _model(config: PPOConfig, worlds: VecEnv) -> PPO:
    source = _encoder_file(config)
    fixed = _fixed_encoder(source) if source else None
    set_random_seed(config.seed)  # not PPO's own argument: it would choose the worlds' tracks too
    model = PPO(
        BetaPolicy,
        EncodedWorlds(worlds, fixed) if fixed else worlds,
        learning_rate=partial(learning_rate, config),
        n_steps=config.rollout // config.world.workers,
        batch_size=config.batch,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        target_kl=config.target_kl,
        ent_coef=config.entropy,
        policy_kwargs={
            "half_precision": config.half_precision,
            "encoder": checkpoint.read(source)[0].encoder if source else "stack",
        },
        device="cpu",
    )
    folder = config.tensorboard
    logger = configure(str(folder), ["tensorboard"]) if folder else Logger(None, [])
    model.set_logger(logger)
    if fixed:
        assert isinstance(model.policy, BetaPolicy)
        model.policy.actor.encoder.load_state_dict(fixed.state_dict())
    return model


def _encoder_file(config: PPOConfig) -> Path | None:
    """The checkpoint whose encoder is used, if any."""
    name = config.encoder_of
    return None if name is None else BUNDLED.get(name, Path(name))


def _fixed_encoder(source: Path) -> FixedEncoder:
    """The encoder of a cloned policy.

    Raises:
        PolicyError: The checkpoint cannot be read, or its encoder gives too many features.
    """
    method, header = checkpoint.load_method(source)
    fixed = FixedEncoder(header.encoder)
    fixed.frames.load_state_dict(method.encoder.state_dict())
    return fixed


def _sources(config: PPOConfig) -> dict[str, Any]:
    """What tells the encoder and the demonstrations apart that a training starts from."""
    told: dict[str, Any] = {}
    if config.encoder_of is not None:
        told = {
            "encoder_of": config.encoder_of,
            "encoder_sha256": digest(str(_encoder_file(config))),
        }
    if config.init_from_demonstrations:
        data = _demonstrations(config)
        told |= {
            "names": list(config.init_from_demonstrations),
            "episodes": len(data.episodes),
            "steps": data.steps,
            "fingerprint": data.fingerprint(),
        }
    return told


def _demonstrations(config: PPOConfig) -> Demonstrations:
    frames = ExpertDriver.observation.frames
    return demonstrations.load(config.init_from_demonstrations, config.data_root, frames)


def _start(config: PPOConfig, policy: BetaPolicy, report: Report) -> dict[str, Any]:
    """Lets the actor imitate demonstrations, where there are any; returns how well it does."""
    if not config.init_from_demonstrations:
        return {}
    data = _demonstrations(config)
    report(f"cloning {len(data.episodes)} episodes, {data.steps} steps")
    rng = np.random.default_rng(config.seed)
    error = clone(policy.actor, data, config.cloning, rng, report)
    share_start(policy.actor, policy.critic)
    return {"squared_error": error}


def _restore(config: PPOConfig, model: PPO, progress: Progress, worlds: VecEnv) -> None:
    model.num_timesteps = progress.steps
    model._n_updates = progress.updates
    set_random_seed((config.seed + progress.steps) % 2**32)  # numpy takes no greater one
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


def _is_trained(config: PPOConfig, sources: dict[str, Any]) -> bool:
    """Whether the checkpoint to write is there, made from this configuration and these sources."""
    if not driver.is_expert(config.out):
        return False
    found = driver.read_header(config.out)
    return found.config == config.plain() and {**found.data, **sources} == found.data


def _last_save(folder: Path) -> int:
    """Time of the last save, so that resumed workers draw other tracks."""
    state = folder / "state.safetensors"
    return int(state.stat().st_mtime) if state.is_file() else 0


def _ignore(line: str) -> None:
    """Prints nothing."""
