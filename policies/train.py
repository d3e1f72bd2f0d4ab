"""Clones a driver from demonstrations."""

import hashlib
import json
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from nsac_core import fitting
from nsac_core.fitting import EpochCallback, FitConfig, FitResult, FittingError
from nsac_core.fitting_state import FittingStateError
from nsac_core.methods.protocol import Method
from policies import checkpoint, demonstrations
from policies.checkpoint import Header
from policies.demonstrations import Demonstrations
from policies.encoders import FrameEncoder
from policies.errors import PolicyError
from policies.memory import keep_freed_memory
from policies.train_config import TrainConfig
from policies.training_batches import TrainingBatches, ValidationBatches, validation_scores
from policies.unfinished import state_folder

DEFAULTS: dict[str, dict[str, Any]] = {
    "nsac": {"ood_share": 0.25},
    "sde_net": {"ood_share": 0.25, "n_tokens": "last"},
}
"""Options of a method that suit driving; a quarter of a batch is enough of perturbed inputs."""


def train(
    config: TrainConfig,
    parts: tuple[Demonstrations, Demonstrations] | None = None,
    callbacks: Sequence[EpochCallback] = (),
    command: str | None = None,
) -> Path:
    """Trains a policy and writes its checkpoint; an interrupted run is resumed by repeating it.

    A checkpoint of the same configuration and data is left as it is.

    Args:
        config: How to train.
        parts: Training and validation part; None deals out the episodes of ``config.data``.
        callbacks: Called after each epoch.
        command: What the checkpoint says it was trained by; None is this process's command line.

    Returns:
        The checkpoint, ``config.out``.

    Raises:
        PolicyError: The configuration, or a checkpoint to start from, cannot be used.
        demonstrations.DemonstrationError: A data set cannot be read or is too small.
    """
    config.check()
    keep_freed_memory()
    header, method = _method(config, command or this_command())
    if parts is None:
        data = demonstrations.load(config.data, config.data_root, header.observation.frames)
    else:
        data = replace(parts[0], episodes=(*parts[0].episodes, *parts[1].episodes))
    described = _described(config, data)
    if _is_trained(config, described):
        return config.out
    training, validation = parts or data.split(
        (1 - config.validation_share, config.validation_share), config.seed
    )
    state = state_folder(config.out, _plain(config))
    threads = torch.get_num_threads()
    torch.set_num_threads(config.threads)
    try:
        result, scores = _fit(method, training, validation, config, state, callbacks)
    finally:
        torch.set_num_threads(threads)
    header = replace(
        header,
        data=described,
        results={**scores, **_course(result), "validation_steps": validation.steps},
    )
    checkpoint.save(config.out, method, header, config.weights)
    shutil.rmtree(state)
    return config.out


def this_command() -> str:
    """The command line of this process."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def _method(config: TrainConfig, command: str) -> tuple[Header, Method]:
    """What to train, and the header of its checkpoint."""
    header = Header(
        method=config.method,
        method_options={**DEFAULTS.get(config.method, {}), **config.method_options},
        encoder=config.encoder,
        n_samples=config.n_samples,
        command=command,
        config=_plain(config),
    )
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        method = checkpoint.build_method(header)
    header = replace(header, observation=_encoder(method).observation)
    if config.init is not None:
        checkpoint.fill(config.init, method, checkpoint.read(config.init)[1])
    _encoder(method).half_precision = config.half_precision
    return header, method


def _is_trained(config: TrainConfig, data: dict[str, Any]) -> bool:
    """Whether the checkpoint to write is there, made from this configuration and data."""
    if not config.out.is_file():
        return False
    found, _ = checkpoint.read(config.out)
    return found.config == _plain(config) and found.data == data


def _fit(
    method: Method,
    training: Demonstrations,
    validation: Demonstrations,
    config: TrainConfig,
    state: Path,
    callbacks: Sequence[EpochCallback],
) -> tuple[FitResult, dict[str, float]]:
    """Trains, and scores the best weights."""

    def epoch(generator: torch.Generator) -> TrainingBatches:
        return TrainingBatches(training, config, generator)

    held_out = ValidationBatches(validation, config)
    try:
        fit_config = _fit_config(config, state / "state.safetensors")
        result = fitting.fit(method, epoch, held_out, fit_config, callbacks)
    except (FittingError, FittingStateError) as fault:
        raise PolicyError(str(fault)) from None
    return result, validation_scores(method, held_out, config.seed)


def _fit_config(config: TrainConfig, state: Path) -> FitConfig:
    return FitConfig(
        epochs=config.epochs,
        learning_rate=config.learning_rate,
        weight_decay=config.weight_decay,
        schedule="cosine",
        warmup_epochs=min(0.5, config.epochs / 10),
        gradient_clip=config.gradient_clip,
        criterion=config.criterion,
        seed=config.seed,
        progress=not config.quiet,
        tensorboard=config.tensorboard,
        state=state,
    )


def _encoder(method: Method) -> FrameEncoder:
    encoder = method.encoder
    assert isinstance(encoder, FrameEncoder)
    return encoder


def _plain(config: TrainConfig) -> dict[str, Any]:
    """The configuration as JSON values."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(config), default=str))
    return values


def _described(config: TrainConfig, data: Demonstrations) -> dict[str, Any]:
    described = {
        "names": list(config.data),
        "episodes": len(data.episodes),
        "steps": data.steps,
        "fingerprint": data.fingerprint(),
    }
    if config.init is not None:
        described["init_sha256"] = hashlib.sha256(config.init.read_bytes()).hexdigest()
    return described


def _course(result: FitResult) -> dict[str, Any]:
    best = result.history[result.best_epoch - 1]
    return {
        "epochs": len(result.history),
        "best_epoch": result.best_epoch,
        "validation": best.validation,
        "train": best.train,
        "seconds": sum(epoch.seconds for epoch in result.history),
    }
