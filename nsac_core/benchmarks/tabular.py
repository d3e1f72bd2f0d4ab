"""The benchmark of a table: trains and tests its cells, and reports them."""

import time
from functools import partial
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from nsac_core import methods
from nsac_core.benchmarks.cells import Cell, Result, frame
from nsac_core.benchmarks.config import TabularConfig
from nsac_core.benchmarks.contenders import Contender, contenders
from nsac_core.benchmarks.data_sets import SOURCES, Table, load
from nsac_core.benchmarks.progress import Scratch
from nsac_core.benchmarks.references import REFERENCES, Predictor
from nsac_core.benchmarks.report import Report, collect
from nsac_core.benchmarks.runner import run
from nsac_core.benchmarks.splits import Part, Split, perturbed, split
from nsac_core.benchmarks.tokens import encoder
from nsac_core.fitting import FitConfig, FitResult, fit, predicted
from nsac_core.methods import Method, NSACMethod, Prediction

_ROWS_AT_ONCE = 256


def benchmark(config: TabularConfig) -> Report:
    """Runs the cells that are missing and reports all of the run.

    Raises:
        BenchmarkError: If the configuration cannot be, the data are not to be had, or the folder
            holds another run.
    """
    config.check()
    cells = cells_of(config)
    table = load(SOURCES[config.data_set], config.data_dir)
    work = partial(train_and_test, config, table)
    run(config.out, cells, config.decisive(), work, config.workers, config.quiet)
    return collect(config.out)


def cells_of(config: TabularConfig) -> list[Cell]:
    """Every contender with every seed."""
    seeds = range(config.first_seed, config.first_seed + config.seeds)
    return [
        Cell(contender, seed, config.epochs if contender.method else 1)
        for contender in contenders(config.methods, config.lambdas)
        for seed in seeds
    ]


def train_and_test(config: TabularConfig, table: Table, cell: Cell, scratch: Scratch) -> Result:
    """Trains a contender on the split of its seed, and predicts its test rows.

    The test rows are predicted as they are and with noise of each of the configuration's sizes.

    Raises:
        FittingError: If the training comes to nothing.
    """
    parts = split(table, cell.seed)
    if cell.contender.method is None:
        start = time.perf_counter()
        predict = REFERENCES[cell.contender.name].fit(parts, cell.seed)
        facts = {"seconds": time.perf_counter() - start}
    else:
        predict, facts = _train(config, cell, parts, scratch)
    test = parts.test
    inputs = {0.0: test.x, **{s: perturbed(test, s, cell.seed) for s in config.sigmas}}
    frames = [frame(predict(x), test.y, sigma) for sigma, x in inputs.items()]
    return Result(pd.concat(frames, ignore_index=True), facts)


def _train(
    config: TabularConfig, cell: Cell, parts: Split, scratch: Scratch
) -> tuple[Predictor, dict[str, float]]:
    method = build(cell.contender, config, parts.train.x.shape[1], cell.seed)
    result = fit(
        method,
        partial(_batches, parts.train, config.batch_size),
        _in_order(parts.validation),
        _fit_config(config, cell.seed, scratch),
        [scratch],
    )

    def predict(x: Tensor) -> Prediction:
        zeros = torch.zeros(len(x), 1)
        prediction, _ = predicted(method, _in_order(Part(x, zeros)), config.device, cell.seed)
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


def build(contender: Contender, config: TabularConfig, n_features: int, seed: int) -> Method:
    """The method of a contender, with weights that depend on the seed alone.

    Everything but what the contender varies and the configuration names is the method's default:
    width 64, 16 heads, 8 keys, sparsity 0.5, 5 draws, perturbations of standard deviation 5 with
    weight 0.5.
    """
    name = contender.method or contender.name
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        tokens = encoder(config.tokens, n_features)
        options: dict[str, Any] = {"activation": config.activation}
        if name == "sde_net":  # no attention: it reads all tokens at once
            options = {"n_tokens": tokens.n_tokens}
        return methods.build(name, tokens, tokens.token_dim, 1, **{**options, **contender.options})


def _fit_config(config: TabularConfig, seed: int, scratch: Scratch) -> FitConfig:
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


def _batches(part: Part, size: int, generator: torch.Generator) -> list[tuple[Tensor, Tensor]]:
    order = torch.randperm(len(part), generator=generator)
    return [(part.x[rows], part.y[rows]) for rows in torch.split(order, size)]


def _in_order(part: Part) -> list[tuple[Tensor, Tensor]]:
    pieces = (torch.split(values, _ROWS_AT_ONCE) for values in (part.x, part.y))
    return list(zip(*pieces, strict=True))
