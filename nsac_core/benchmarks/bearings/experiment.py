"""The experiment: bearings, held out or leaking, as ``nsac-bench bearings`` runs it."""

from collections.abc import Mapping
from functools import partial

from torch import Tensor, nn

from nsac_core.benchmarks.bearings import sources, synthetic
from nsac_core.benchmarks.bearings.config import Bearings, SyntheticBearings
from nsac_core.benchmarks.bearings.presentation import PRESENTATIONS
from nsac_core.benchmarks.bearings.recordings import Bearing
from nsac_core.benchmarks.bearings.windows import held_out, leaking
from nsac_core.benchmarks.experiment import Encoder, Experiment
from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.report import Report
from nsac_core.benchmarks.training import run_experiment

_OTHER_RIGS = {"pronostia": "pronostia_2_1", "pronostia_1_3": "pronostia_1_3", "hust": "hust_1"}
"""Test parts on other rigs; the paper's table has PRONOSTIA 2_1."""


def benchmark(config: Bearings) -> Report:
    """Runs the cells that are missing and reports all of the run.

    Raises:
        BenchmarkError: If the configuration cannot be, the data are not to be had, or the folder
            holds another run.
    """
    return run_experiment(config, experiment)


def experiment(config: Bearings) -> Experiment:
    """The bearings of a configuration as an experiment.

    Raises:
        BenchmarkError: If they are not to be had.
    """
    if isinstance(config, SyntheticBearings):
        found = synthetic.bearings(config.rows)
    else:
        found = sources.bearings(config.data_dir)
    return Experiment(
        split=partial(_split, found, config),
        encoder=_encoder,
        presentation=PRESENTATIONS[config.data_set],
    )


class RowTokens(nn.Module):
    """One token a row of the window, its columns as they are: the paper's.

    Args:
        n_rows: Of a window.
        n_columns: Of a row.
    """

    def __init__(self, n_rows: int, n_columns: int) -> None:
        super().__init__()
        self.n_tokens, self.token_dim = n_rows, n_columns

    def forward(self, x: Tensor) -> Tensor:
        """From ``(batch, rows, columns)`` to the same."""
        return x


def _encoder(split: Split) -> Encoder:
    _, rows, columns = split.train.x.shape
    return RowTokens(rows, columns)


def _split(found: Mapping[str, Bearing], config: Bearings, seed: int) -> Split:
    rigs = {part: found[name] for part, name in _OTHER_RIGS.items()}
    if config.protocol == "leaking":
        train = [found[f"xjtu_1_{number}"] for number in (1, 2, 3)]
        return leaking(train, {"xjtu": train[0], **rigs}, config.cut, seed)
    train = [found[f"xjtu_1_{number}"] for number in (1, 2)]
    return held_out(train, {"xjtu": found["xjtu_1_3"], **rigs}, config.cut, seed)
