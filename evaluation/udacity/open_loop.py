"""The open loop: every method learns from one recording and predicts held-out stretches of it."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from evaluation.udacity.open_loop_config import OpenLoopConfig
from maps.files.locks import locked_folder
from maps.limits import WIDEST
from nsac_core.benchmarks.cells import Cell, Result, frame
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.experiment import Presentation
from nsac_core.benchmarks.parts import Part, Split, perturbed
from nsac_core.benchmarks.progress import Scratch
from nsac_core.benchmarks.references import REFERENCES
from nsac_core.benchmarks.report import Report, collect
from nsac_core.benchmarks.runner import run
from nsac_core.benchmarks.training import cells_of
from nsac_core.fit_config import FittingError
from nsac_core.fitting import predicted
from nsac_core.methods import Method, Prediction
from policies import checkpoint
from policies.errors import PolicyError
from policies.udacity import drives
from policies.udacity.batches import CentreBatches
from policies.udacity.drives import Drives
from policies.udacity.preprocessing import preprocess
from policies.udacity.train import train_udacity
from policies.udacity.train_config import UdacityTrainConfig

SHARES = (0.7, 0.1, 0.2)
"""Of the blocks of contiguous time: training, validation and test."""

COMMAND = "nsac-evaluate udacity-open-loop"
"""What the policies say they were trained by."""

PRESENTATION = Presentation(target="the steering in [-1, 1]")


def open_loop(config: OpenLoopConfig) -> Report:
    """Trains and tests the cells that are missing, and reports all of the run.

    Each trained policy is kept as ``policies/METHOD-SEED.safetensors`` in the run's folder.

    Raises:
        BenchmarkError: If the configuration cannot be, a recording is too short, or the folder
            holds another run.
        drive.udacity.driving_log.DrivingLogError: If a recording cannot be read.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    config = config.resolved()
    config.check()
    work = partial(train_and_test, config)
    with locked_folder(config.out):
        try:
            recorded = _load(config.data)
            recorded.split(SHARES, config.first_seed)
        except PolicyError as fault:
            raise BenchmarkError(str(fault)) from None
        settings = {**config.decisive(), "data_sha256": recorded.sha256()}
        run(config.out, cells_of(config), settings, work, config.workers, config.quiet)
        return collect(config.out, PRESENTATION)


def train_and_test(config: OpenLoopConfig, cell: Cell, scratch: Scratch) -> Result:
    """Trains a contender on a split by contiguous time, and predicts its test frames.

    These are the centre camera's, as recorded and with noise of each of the configuration's sizes.

    Raises:
        FittingError: If the training comes to nothing.
    """
    training, validation, test = _load(config.data).split(SHARES, cell.seed)
    frames, y = _preprocessed(test)
    shown = Part(frames, y)
    if cell.contender.method is None:
        nothing = torch.zeros(len(training), 0)
        learned = Part(nothing, torch.from_numpy(training.steering)[:, None])
        predict = REFERENCES[cell.contender.name].fit(Split(learned, shown, {}), cell.seed)
        facts: dict[str, float] = {}
    else:
        path = _trained(config, cell, (training, validation), scratch)
        method, header = checkpoint.load_method(path)
        predict = partial(_predict, method, cell.seed)
        facts = _facts(method, header.results)
    inputs = {0.0: frames} | {s: perturbed(shown, s, cell.seed) for s in config.sigmas}
    rows = [frame(predict(x), y, sigma) for sigma, x in inputs.items()]
    return Result(pd.concat(rows, ignore_index=True), facts)


@lru_cache(maxsize=1)
def _load(folders: tuple[Path, ...]) -> Drives:
    """The recordings, read once in a process."""
    return drives.load(folders)


def _trained(
    config: OpenLoopConfig, cell: Cell, parts: tuple[Drives, Drives], scratch: Scratch
) -> Path:
    contender = cell.contender
    layer = {} if contender.method == "sde_net" else {"activation": config.activation}
    settings = UdacityTrainConfig(
        data=config.data,
        out=config.out / "policies" / f"{cell.name}.safetensors",
        method=contender.method or contender.name,
        method_options={**layer, **contender.options},
        augmentation=config.augmentation,
        epochs=config.epochs,
        batch=config.batch_size,
        learning_rate=config.learning_rate,
        weight_decay=config.weight_decay,
        gradient_clip=config.gradient_clip or WIDEST,
        criterion=config.criterion,
        seed=cell.seed,
        weights="float16",
        quiet=True,
    )
    try:
        return train_udacity(settings, parts, [scratch], COMMAND)
    except PolicyError as fault:
        raise FittingError(str(fault)) from None


def _preprocessed(part: Drives) -> tuple[Tensor, Tensor]:
    """The centre camera's frames as a network reads them, and their steering."""
    batches = [(preprocess(views), y) for views, y in CentreBatches(part, 64)]
    return torch.cat([x for x, _ in batches]), torch.cat([y for _, y in batches])


def _predict(method: Method, seed: int, x: Tensor) -> Prediction:
    return predicted(method, Part(x, torch.zeros(len(x), 1)).in_order(), seed=seed)[0]


def _facts(method: Method, results: dict[str, Any]) -> dict[str, float]:
    return {
        "parameters": sum(p.numel() for p in method.parameters() if p.requires_grad),
        **{name: results[name] for name in ("epochs", "best_epoch", "seconds")},
        **{f"validation_{name}": value for name, value in results["validation"].items()},
    }
