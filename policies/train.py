"""Clones a driver of CarRacing from demonstrations."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from maps.files.locks import locked_file
from nsac_core.fitting import EpochCallback
from policies import checkpoint, demonstrations
from policies.cloning import Lessons, clone, is_trained, untrained
from policies.demonstrations import Demonstrations
from policies.memory import keep_freed_memory
from policies.train_config import TrainConfig
from policies.training_batches import TrainingBatches, ValidationBatches

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
        maps.files.locks.LockedError: Another process is about to write the checkpoint.
        OSError: It cannot be written.
    """
    config.check()
    with locked_file(config.out):
        return _train(config, parts, callbacks, command)


def _train(
    config: TrainConfig,
    parts: tuple[Demonstrations, Demonstrations] | None,
    callbacks: Sequence[EpochCallback],
    command: str | None,
) -> Path:
    keep_freed_memory()
    header, method = untrained(config, config.encoder, DEFAULTS.get(config.method, {}), command)
    if config.init is not None:
        checkpoint.fill(config.init, method, checkpoint.read(config.init)[1])
    if parts is None:
        data = demonstrations.load(config.data, config.data_root, header.observation.frames)
    else:
        data = replace(parts[0], episodes=(*parts[0].episodes, *parts[1].episodes))
    header = replace(header, data=_described(config, data))
    if is_trained(config, header.data):
        return config.out
    training, validation = parts or data.split(
        (1 - config.validation_share, config.validation_share), config.seed
    )
    return clone(config, header, method, _lessons(config, training, validation), callbacks)


def _lessons(config: TrainConfig, training: Demonstrations, validation: Demonstrations) -> Lessons:
    def epoch(generator: torch.Generator) -> TrainingBatches:
        return TrainingBatches(training, config, generator)

    return Lessons(epoch, ValidationBatches(validation, config), validation.steps)


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
