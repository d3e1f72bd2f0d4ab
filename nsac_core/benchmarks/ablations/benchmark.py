"""The benchmark of NSAC's settings."""

from functools import partial

from nsac_core.benchmarks.ablations import lengths
from nsac_core.benchmarks.ablations.config import Ablations
from nsac_core.benchmarks.ablations.figure import figures
from nsac_core.benchmarks.ablations.studies import length_of
from nsac_core.benchmarks.ablations.tables import sheets
from nsac_core.benchmarks.cells import Cell, Result
from nsac_core.benchmarks.experiment import Experiment, Presentation
from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.progress import Scratch
from nsac_core.benchmarks.report import Report, collect
from nsac_core.benchmarks.runner import run
from nsac_core.benchmarks.spiral import benchmark as spiral
from nsac_core.benchmarks.spiral.config import Spiral
from nsac_core.benchmarks.spiral.parts import INTERPOLATION
from nsac_core.benchmarks.spiral.tokens import TimeTokens
from nsac_core.benchmarks.training import cells_of, train_and_test

PRESENTATION = Presentation(main=INTERPOLATION, usual=False, sheets=sheets, figures=figures)


def benchmark(config: Ablations) -> Report:
    """Runs the cells that are missing and reports all of the run.

    Raises:
        BenchmarkError: If the configuration cannot be, or the folder holds another run.
    """
    config = config.resolved()
    config.check()
    work = partial(_work, config)
    run(config.out, cells_of(config), config.decisive(), work, config.workers, config.quiet)
    return collect(config.out, PRESENTATION)


def _work(config: Ablations, cell: Cell, scratch: Scratch) -> Result:
    length = length_of(cell.contender)
    experiment = spiral.experiment(Spiral()) if length is None else _of_length(length)
    return train_and_test(config, experiment, cell, scratch)


def _of_length(length: int) -> Experiment:
    return Experiment(
        split=partial(lengths.split, length),
        encoder=_encoder,
        layer={"positions": "asked", "time_feature": 0, "context": length},
    )


def _encoder(parts: Split) -> TimeTokens:  # noqa: ARG001 - the same for all
    return TimeTokens(features=1)
