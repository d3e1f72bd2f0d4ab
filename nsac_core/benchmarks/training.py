"""From an experiment to a report: trains and tests the cells that are missing."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

import pandas as pd
import torch
from torch import Tensor, nn

from nsac_core import methods
from nsac_core.benchmarks.cells import Cell, Result, frame
from nsac_core.benchmarks.config import BenchmarkConfig
from nsac_core.benchmarks.contenders import Contender
from nsac_core.benchmarks.experiment import Encoder, Experiment
from nsac_core.benchmarks.parts import Part, Split, perturbed
from nsac_core.benchmarks.progress import Scratch
from nsac_core.benchmarks.references import REFERENCES, Predictor
from nsac_core.benchmarks.report import Report, collect
from nsac_core.benchmarks.runner import run
from nsac_core.fit_config import FitConfig
from nsac_core.fitting import FitResult, fit, predicted
from nsac_core.methods import Method, NSACMethod, Prediction

Config = TypeVar("Config", bound=BenchmarkConfig)


def run_experiment(config: Config, make: Callable[[Config], Experiment]) -> Report:
    """Runs the cells that are missing and reports all of the run.

    Args:
        config: What to run.
        make: From the configuration, checked and with its preset's fields, to the experiment.

    Raises:
        BenchmarkError: If the configuration cannot be, the data are not to be had, or the folder
            holds another run.
    """
    config = config.resolved()
    config.check()
    experiment = make(config)
    cells = cells_of(config)
    work = partial(train_and_test, config, experiment)
    settings = {**config.decisive(), **experiment.settings}
    run(config.out, cells, settings, work, config.workers, config.quiet)
    return collect(config.out, experiment.presentation)


def cells_of(config: BenchmarkConfig) -> list[Cell]:
    """Every contender with every seed."""
    seeds = range(config.first_seed, config.first_seed + config.seeds)
    return [
        Cell(contender, seed, config.epochs if contender.method else 1)
        for contender in config.contenders()
        for seed in seeds
    ]


def train_and_test(
    config: BenchmarkConfig, experiment: Experiment, cell: Cell, scratch: Scratch
) -> Result:
    """Trains a contender on the split of its seed, and predicts its test parts.

    They are predicted as they are and with noise of each of the configuration's sizes.

    Raises:
        FittingError: If the training comes to nothing.
    """
    split = experiment.split(cell.seed)
    if cell.contender.method is None:
        start = time.perf_counter()
        predict = REFERENCES[cell.contender.name].fit(split, cell.seed)
        facts = {"seconds": time.perf_counter() - start}
    else:
        method = build(cell.contender, config, experiment, split, cell.seed)
        predict, facts = _train(method, config, cell.seed, split, scratch)
        if experiment.restore is not None:
            predict = partial(_restored, predict, partial(experiment.restore, split))
    frames = [
        frame(predict(x), part.y.flatten(0, -2), sigma, part.labels or name)
        for name, part in split.tests.items()
        for sigma, x in _as_it_is_and_perturbed(part, config.sigmas, cell.seed)
    ]
    return Result(pd.concat(frames, ignore_index=True), facts)


def _restored(
    predict: Predictor, restore: Callable[[Tensor, Prediction], Prediction], x: Tensor
) -> Prediction:
    return restore(x, predict(x))


def _as_it_is_and_perturbed(
    part: Part, sigmas: tuple[float, ...], seed: int
) -> list[tuple[float, Tensor]]:
    return [(0.0, part.x), *((sigma, perturbed(part, sigma, seed)) for sigma in sigmas)]


def build(
    contender: Contender, config: BenchmarkConfig, experiment: Experiment, split: Split, seed: int
) -> Method:
    """The method of a contender, with weights that depend on the seed alone.

    Everything but what the contender varies and configuration and experiment name is the method's
    default: width 64, 16 heads, 8 keys, sparsity 0.5, 5 draws, perturbations of standard deviation
    5 with weight 0.5.
    """
    name = contender.method or contender.name
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        encoder = experiment.encoder(split)
        options: dict[str, Any] = {"activation": config.activation, **experiment.layer}
        if name == "sde_net":  # no attention: it reads tokens by a dense layer
            options = {"n_tokens": encoder.n_tokens}
        options |= contender.options
        outputs = split.train.y.shape[-1]
        return methods.build(name, _module(encoder), encoder.token_dim, outputs, **options)


def _module(encoder: Encoder) -> nn.Module:
    """A protocol cannot say that an encoder is a module as well."""
    return cast(nn.Module, encoder)


def _train(
    method: Method, config: BenchmarkConfig, seed: int, split: Split, scratch: Scratch
) -> tuple[Predictor, dict[str, float]]:
    result = fit(
        method,
        partial(split.train.batches, config.batch_size),
        split.validation.in_order(),
        _fit_config(config, seed, scratch),
        [scratch],
    )

    def predict(x: Tensor) -> Prediction:
        batches = Part(x, torch.zeros(len(x), 1)).in_order()
        prediction, _ = predicted(method, batches, config.device, seed)
        return Prediction(*(part.cpu() for part in vars(prediction).values()))

    return predict, _facts(method, result)


def _facts(method: Method, result: FitResult) -> dict[str, float]:
    best = result.history[result.best_epoch - 1]
    facts: dict[str, float] = {
        "parameters": sum(p.numel() for p in method.parameters() if p.requires_grad),
        "epochs": len(result.history),
        "best_epoch": result.best_epoch,
        "seconds": sum(epoch.seconds for epoch in result.history),
        **{f"validation_{name}": value for name, value in best.validation.items()},
    }
    if isinstance(method, NSACMethod):
        facts["lambda_reg"] = method.lambda_reg
    return facts


def _fit_config(config: BenchmarkConfig, seed: int, scratch: Scratch) -> FitConfig:
    return FitConfig(
        epochs=config.epochs,
        learning_rate=config.learning_rate,
        weight_decay=config.weight_decay,
        schedule=config.schedule,
        warmup_epochs=config.warmup_epochs,
        gradient_clip=config.gradient_clip,
        patience=config.patience,
        criterion=config.criterion,
        seed=seed,
        device=config.device,
        progress=False,
        state=scratch.state,
    )
