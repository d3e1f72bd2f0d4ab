"""Trains a method on examples and writes its checkpoint: the part that all drivers share."""

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from nsac_core import fitting, metrics
from nsac_core.fit_config import FittingError
from nsac_core.fitting import Batch, EpochCallback, FitResult, TrainBatches
from nsac_core.fitting_state import FittingStateError
from nsac_core.methods.protocol import Method, Prediction
from policies import checkpoint
from policies.checkpoint import Header
from policies.clone_config import CloneConfig
from policies.encoders import FrameEncoder
from policies.errors import PolicyError
from policies.protocol import actions_of
from policies.unfinished import forget, forget_unbegun, state_folder


@dataclass(frozen=True)
class Lessons:
    """What is learned from.

    Attributes:
        training: Makes the batches of an epoch.
        validation: Batches that can be iterated anew.
        validation_steps: How many rows those hold.
    """

    training: TrainBatches
    validation: Iterable[Batch]
    validation_steps: int


def this_command() -> str:
    """The command line of this process."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def untrained(
    config: CloneConfig, encoder: str, options: dict[str, Any], command: str | None = None
) -> tuple[Header, Method]:
    """What to train, and the header of its checkpoint.

    Args:
        config: How to train.
        encoder: Name of the encoder.
        options: Of the method, which those of the configuration extend.
        command: What the checkpoint says it was trained by; None is this process's command line.

    Raises:
        PolicyError: There is no such method, encoder or option.
    """
    header = Header(
        method=config.method,
        method_options={**options, **config.method_options},
        encoder=encoder,
        n_samples=config.n_samples,
        command=command or this_command(),
        config=_plain(config),
    )
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        method = checkpoint.build_method(header)
    seen = encoder_of(method)
    seen.half_precision = config.half_precision
    return replace(header, observation=seen.observation, preprocessing=seen.preprocessing), method


def is_trained(config: CloneConfig, data: dict[str, Any]) -> bool:
    """Whether the checkpoint to write is there, made from this configuration and data."""
    if not config.out.is_file():
        return False
    found, _ = checkpoint.read(config.out)
    trained = found.config == _plain(config) and found.data == data
    if trained:  # by a process that was killed before it could clear up
        forget(config.out, _decisive(config, data))
    return trained


def clone(
    config: CloneConfig,
    header: Header,
    method: Method,
    lessons: Lessons,
    callbacks: Sequence[EpochCallback] = (),
) -> Path:
    """Trains, and writes the checkpoint; an interrupted run is resumed.

    Args:
        config: How to train.
        header: What the checkpoint says, but for its results.
        method: What to train.
        lessons: What it learns from.
        callbacks: Called after each epoch.

    Returns:
        The checkpoint, ``config.out``.

    Raises:
        PolicyError: Training cannot go on, or an unfinished run is another's, or on other data.
    """
    state = state_folder(config.out, _decisive(config, header.data))
    threads = torch.get_num_threads()
    torch.set_num_threads(config.threads)
    try:
        settings = config.fit_config(state / "state.safetensors")
        result = fitting.fit(method, lessons.training, lessons.validation, settings, callbacks)
        scores = _scores(method, lessons.validation, config.seed)
    except (FittingError, FittingStateError) as fault:
        raise PolicyError(str(fault)) from None
    finally:
        torch.set_num_threads(threads)
        forget_unbegun(state)
    results = {**scores, **_course(result), "validation_steps": lessons.validation_steps}
    checkpoint.save(config.out, method, replace(header, results=results), config.weights)
    shutil.rmtree(state)
    return config.out


def encoder_of(method: Method) -> FrameEncoder:
    """The encoder of a policy's method."""
    encoder = method.encoder
    assert isinstance(encoder, FrameEncoder)
    return encoder


def _scores(method: Method, batches: Iterable[Batch], seed: int) -> dict[str, float]:
    """``mse_*`` and ``nll_*`` of each action on the validation data."""
    prediction, y = fitting.predicted(method, batches, seed=seed)
    scores = {}
    for i, action in enumerate(actions_of(encoder_of(method).observation).names):
        columns = (prediction.mean, prediction.aleatoric, prediction.epistemic)
        part = Prediction(*(values[:, i : i + 1] for values in columns))
        scores[f"mse_{action}"] = metrics.mse(part, y[:, i : i + 1])
        scores[f"nll_{action}"] = metrics.nll(part, y[:, i : i + 1])
    return scores


def _course(result: FitResult) -> dict[str, Any]:
    best = result.history[result.best_epoch - 1]
    return {
        "epochs": len(result.history),
        "best_epoch": result.best_epoch,
        "validation": best.validation,
        "train": best.train,
        "seconds": sum(epoch.seconds for epoch in result.history),
    }


def _decisive(config: CloneConfig, data: dict[str, Any]) -> dict[str, Any]:
    """What an unfinished run is bound to: it must not go on with other data."""
    return {**_plain(config), "data": data}


def _plain(config: CloneConfig) -> dict[str, Any]:
    """The configuration as JSON values."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(config), default=str))
    return values
