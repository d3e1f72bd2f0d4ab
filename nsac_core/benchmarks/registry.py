"""Every benchmark there is: adding one adds a line here, and its command to ``nsac_core.cli``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from maps.files.locks import locked_folder
from nsac_core.benchmarks import report as reports
from nsac_core.benchmarks import tabular
from nsac_core.benchmarks.ablations import benchmark as ablations
from nsac_core.benchmarks.ablations.config import Ablations
from nsac_core.benchmarks.bearings import experiment as bearings
from nsac_core.benchmarks.bearings.config import Bearings, SyntheticBearings
from nsac_core.benchmarks.bearings.presentation import PRESENTATIONS as BEARINGS
from nsac_core.benchmarks.config import Boston, Kin8nm
from nsac_core.benchmarks.experiment import Presentation
from nsac_core.benchmarks.forecasting import benchmark as forecasting
from nsac_core.benchmarks.forecasting.config import Ettm1, Jena
from nsac_core.benchmarks.report import Report
from nsac_core.benchmarks.runner import settings_of
from nsac_core.benchmarks.runtime import benchmark as runtime
from nsac_core.benchmarks.runtime.config import Runtime
from nsac_core.benchmarks.spiral import benchmark as spiral
from nsac_core.benchmarks.spiral.config import Spiral
from nsac_core.benchmarks.suite_config import AnyConfig

_RUNS: dict[type[AnyConfig], Callable[[Any], Report]] = {
    Boston: tabular.benchmark,
    Kin8nm: tabular.benchmark,
    Spiral: spiral.benchmark,
    Ettm1: forecasting.benchmark,
    Jena: forecasting.benchmark,
    Ablations: ablations.benchmark,
    Runtime: runtime.benchmark,
    Bearings: bearings.benchmark,
    SyntheticBearings: bearings.benchmark,
}

_PRESENTATIONS: dict[str, Presentation] = {
    Boston.data_set: tabular.PRESENTATION,
    Kin8nm.data_set: tabular.PRESENTATION,
    Spiral.data_set: spiral.PRESENTATION,
    Ettm1.data_set: forecasting.PRESENTATION,
    Jena.data_set: forecasting.PRESENTATION,
    Ablations.data_set: ablations.PRESENTATION,
    **BEARINGS,
}


def benchmark(config: AnyConfig) -> Report:
    """Runs the benchmark that a configuration is of.

    Raises:
        BenchmarkError: If it cannot be run.
        maps.files.locks.LockedError: Another process is at work in its folder.
        OSError: The folder cannot be written.
    """
    with locked_folder(config.resolved().out):
        return _RUNS[type(config)](config)


def collect(folder: Path) -> Report:
    """Joins the cells of a run, whichever there are, and reports it as its experiment does.

    Raises:
        BenchmarkError: If there is none.
    """
    if settings_of(folder).get("data_set") == Runtime.data_set:
        return runtime.report(folder)  # it has no cells
    return reports.collect(folder, _presentation(folder))


def report(folder: Path) -> Report:
    """Writes scores, tables and figures of a run from its two files of rows.

    Raises:
        BenchmarkError: If the folder lacks them.
    """
    if settings_of(folder).get("data_set") == Runtime.data_set:
        return runtime.report(folder)
    return reports.report(folder, _presentation(folder))


def _presentation(folder: Path) -> Presentation:
    return _PRESENTATIONS.get(str(settings_of(folder)["data_set"]), Presentation())
