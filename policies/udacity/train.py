"""Clones a driver of the Udacity simulator from recordings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from maps.console import console
from maps.files.locks import locked_file
from nsac_core.fitting import EpochCallback
from policies.cloning import Lessons, clone, is_trained, untrained
from policies.memory import keep_freed_memory
from policies.udacity import drives
from policies.udacity.batches import CentreBatches, TrainingBatches
from policies.udacity.drives import Drives
from policies.udacity.network import CameraEncoder
from policies.udacity.train_config import UdacityTrainConfig

_LAYER = {"model_dim": 100, "heads": 20}
"""The paper's attention layer for this task."""

OPTIONS: dict[str, dict[str, Any]] = {
    "nsac": {**_LAYER, "ood_share": 0.25},
    "gmle": _LAYER,
    "deep_ensemble": _LAYER,
    "mc_dropout": _LAYER,
    "evidential": _LAYER,
    "sde_net": {"n_tokens": CameraEncoder.tokens_per_frame, "ood_share": 0.25},
}
"""Options of each method; a quarter of a batch is enough of perturbed inputs."""


def train_udacity(
    config: UdacityTrainConfig,
    parts: tuple[Drives, Drives] | None = None,
    callbacks: Sequence[EpochCallback] = (),
    command: str | None = None,
) -> Path:
    """Trains a policy and writes its checkpoint; an interrupted run is resumed by repeating it.

    A checkpoint of the same configuration and data is left as it is.

    Args:
        config: How to train.
        parts: Training and validation part; None splits the recordings of ``config.data``.
        callbacks: Called after each epoch.
        command: What the checkpoint says it was trained by; None is this process's command line.

    Returns:
        The checkpoint, ``config.out``.

    Raises:
        PolicyError: The configuration cannot be used, or the recordings are too short.
        drive.udacity.driving_log.DrivingLogError: A recording cannot be read.
        maps.files.locks.LockedError: Another process is about to write the checkpoint.
        OSError: It cannot be written.
    """
    config.check()
    with locked_file(config.out):
        return _train(config, parts, callbacks, command)


def _train(
    config: UdacityTrainConfig,
    parts: tuple[Drives, Drives] | None,
    callbacks: Sequence[EpochCallback],
    command: str | None,
) -> Path:
    keep_freed_memory()
    header, method = untrained(config, "udacity", OPTIONS.get(config.method, {}), command)
    training, validation = parts or drives.load(config.data).split(
        (1 - config.validation_share, config.validation_share), config.seed
    )
    header = replace(header, data=_described(training, validation))
    _tell(training)
    if is_trained(config, header.data):
        return config.out

    def epoch(generator: torch.Generator) -> TrainingBatches:
        return TrainingBatches(training, config.batch, config.augmentation, generator)

    lessons = Lessons(epoch, CentreBatches(validation, config.batch), len(validation))
    return clone(config, header, method, lessons, callbacks)


def _tell(read: Drives) -> None:
    """Says what the recordings hold that is not learned from, whatever part it would be of."""
    skipped = Counter(fault.cause for fault in read.faults)
    if skipped:
        causes = ", ".join(f"{times} {cause}" for cause, times in skipped.most_common())
        first = read.faults[0]
        console(stderr=True).print(
            f"not learned from: {causes}; the first is line {first.line}: {first.detail}"
        )


def _described(training: Drives, validation: Drives) -> dict[str, Any]:
    """The data as the checkpoint's header tells of them, what was skipped included."""
    return {
        "folders": [folder.name for folder in training.folders],
        "training_rows": len(training),
        "validation_rows": len(validation),
        "faults": dict(Counter(fault.cause for fault in training.faults)),
        "fingerprint": f"{training.sha256()} {validation.sha256()}",
    }
