"""The benchmark of a table: Boston and Kin8nm."""

from functools import partial

from nsac_core.benchmarks.config import TabularConfig, Tokens
from nsac_core.benchmarks.data_sets import SOURCES, load
from nsac_core.benchmarks.experiment import Experiment, Presentation
from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.report import Report
from nsac_core.benchmarks.splits import split
from nsac_core.benchmarks.tokens import Encoder, encoder
from nsac_core.benchmarks.training import run_experiment

PRESENTATION = Presentation()


def benchmark(config: TabularConfig) -> Report:
    """Runs the cells that are missing and reports all of the run.

    Raises:
        BenchmarkError: If the configuration cannot be, the data are not to be had, or the folder
            holds another run.
    """
    return run_experiment(config, experiment)


def experiment(config: TabularConfig) -> Experiment:
    """The data of a table as an experiment.

    Raises:
        BenchmarkError: If they are not to be had.
    """
    table = load(SOURCES[config.data_set], config.data_dir)
    return Experiment(
        split=partial(split, table),
        encoder=partial(_encoder, config.tokens),
        presentation=PRESENTATION,
    )


def _encoder(tokens: Tokens, parts: Split) -> Encoder:
    return encoder(tokens, parts.train.x.shape[1])
