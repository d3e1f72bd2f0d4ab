"""The benchmarks of series: ETTm1 and Jena."""

from functools import partial
from typing import Any

import numpy as np

from nsac_core.benchmarks.experiment import Experiment, Presentation
from nsac_core.benchmarks.forecasting.config import ForecastingConfig, WindowTokens
from nsac_core.benchmarks.forecasting.presentation import figures, sheets
from nsac_core.benchmarks.forecasting.sources import SERIES, Data
from nsac_core.benchmarks.forecasting.tokens import WindowEncoder, window_encoder
from nsac_core.benchmarks.forecasting.windows import left_out, restored, scale_of, split
from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.report import Report
from nsac_core.benchmarks.training import run_experiment

PRESENTATION = Presentation(sheets=sheets, figures=figures)


def benchmark(config: ForecastingConfig) -> Report:
    """Runs the cells that are missing and reports all of the run.

    Raises:
        BenchmarkError: If the configuration cannot be, the data are not to be had, or the folder
            holds another run.
    """
    return run_experiment(config, experiment)


def experiment(config: ForecastingConfig) -> Experiment:
    """A series as an experiment.

    Raises:
        BenchmarkError: If the data are not to be had, or are too few.
    """
    data = SERIES[config.data_set](config.data_dir)
    series = data.series.first(config.rows)
    split(series, config.stride, config.first_seed)  # whether it can be, before any process begins
    return Experiment(
        split=partial(split, series, config.stride),
        encoder=partial(_encoder, config.tokens),
        restore=restored,
        settings=_settings(data, config.rows),
        presentation=PRESENTATION,
    )


def _encoder(tokens: WindowTokens, parts: Split) -> WindowEncoder:
    return window_encoder(tokens, parts.train.x.shape[2])


def _settings(data: Data, rows: int) -> dict[str, Any]:
    """What a report needs to know of the data."""
    series = data.series.first(rows)
    scale = scale_of(series)
    return {
        "file": data.file,
        "sha256": data.sha256,
        "target": series.variables[-1],
        "low": float(scale.low[-1]),
        "high": float(scale.high[-1]),
        "hours": series.hours,
        "begins": _written(series.times[0]),
        "ends": _written(series.times[-1]),
        "faults": [fault.words for fault in series.faults],
        "faults_of_the_file": [fault.words for fault in data.series.faults][:20],
        "windows_left_out": left_out(series),
    }


def _written(time: np.datetime64) -> str:
    return str(time.astype("datetime64[m]")).replace("T", " ")
