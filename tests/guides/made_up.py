"""Small made-up files in place of the data that the benchmarks download."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluation.udacity import units
from evaluation.udacity.closed_loop import drive_laps
from nsac_core.benchmarks import data_sets
from nsac_core.benchmarks.ablations import lengths
from nsac_core.benchmarks.bearings import sources as bearings
from nsac_core.benchmarks.data_sets import Source
from nsac_core.benchmarks.forecasting import sources as series
from nsac_core.benchmarks.forecasting.readers import ETTM1_VARIABLES, JENA_VARIABLES
from nsac_core.benchmarks.spiral import parts as spirals
from nsac_core.benchmarks.suite_config import CONFIGS

ROWS = 1500


def write_data(cache: Path) -> None:
    """Writes what would be in the user's cache after the downloads."""
    rng = np.random.default_rng(0)
    for name, features in (("boston", 13), ("kin8nm", 8)):
        x = rng.uniform(size=(80, features))
        y = x[:, 0] + 0.1 * rng.normal(size=80)
        np.savetxt(cache / f"{name}.txt", np.column_stack([x, y]))
    _series(ETTM1_VARIABLES, "15min", rng).to_csv(cache / "ettm1.txt", index=False)
    _series(JENA_VARIABLES, "10min", rng).to_csv(cache / "jena.txt", index=False)
    for name in bearings.SOURCES:
        _bearing(rng).to_csv(cache / f"{name}.txt", index=False)


def _series(variables: tuple[str, ...], step: str, rng: np.random.Generator) -> pd.DataFrame:
    """All variables go through the same day, with noise of their own."""
    times = pd.date_range("2020-01-01", periods=ROWS, freq=step)
    day = np.sin(2 * np.pi * np.arange(ROWS) / 100)
    values = {name: day + rng.normal(0, 0.1, ROWS) for name in variables}
    return pd.DataFrame({"date": times.strftime("%Y-%m-%d %H:%M:%S"), **values})


def _bearing(rng: np.random.Generator) -> pd.DataFrame:
    """Features that tell nothing."""
    lists = [[str(row) for row in rng.uniform(size=(400, 7)).tolist()] for _ in range(2)]
    columns = {"Horizontal": lists[0], "Vertical": lists[1], "Time": np.arange(400.0)}
    return pd.DataFrame({**columns, "Temperature": 25.0, "RPM": 1800, "Load": 4000})


def write_circuit(path: Path) -> None:
    """Writes an ellipse as a circuit of the TUM race track database."""
    angles = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    rows = np.column_stack([1200 * np.cos(angles), 600 * np.sin(angles), *np.full((2, 400), 5.0)])
    np.savetxt(path, rows, delimiter=",", header="x_m,y_m,w_tr_right_m,w_tr_left_m")


def accept(cache: Path, patch: pytest.MonkeyPatch) -> None:
    """Has these files taken for the publishers'."""
    for sources in (data_sets.SOURCES, bearings.SOURCES):
        for name, source in sources.items():
            patch.setitem(sources, name, _as_found(source, cache))
    patch.setattr(series, "ETTM1", _as_found(series.ETTM1, cache))
    times = pd.date_range("2020-01-01", periods=ROWS, freq="10min").to_numpy()
    patch.setattr(series, "_JENA_ENDS", (times[0], times[-1]))


def make_few(patch: pytest.MonkeyPatch) -> None:
    """Has few spirals, short trials of the benchmarks, and short laps of the stand-in."""
    for module in (spirals, lengths):
        patch.setattr(module, "TRAINED", 4)
        patch.setattr(module, "HELD_OUT", 2)
    patch.setattr(spirals, "NOISY", 2)
    patch.setattr(units, "drive_laps", _short_laps)
    trial: dict[str, Any] = {"seeds": 1, "epochs": 1, "methods": ("nsac", "constant")}
    changes: dict[str, dict[str, Any]] = {
        "ablations": {"methods": ("nsac",), "studies": ("heads",)},
        "ettm1": {"rows": ROWS},
        "jena": {"rows": ROWS},
        "synthetic-bearings": {"rows": 80, "length": 8},
    }
    for name, config in CONFIGS.items():
        if name != "runtime":
            patch.setattr(config, "quick", trial | changes.get(name, {}))


def _short_laps(*arguments: Any, laps: float, **options: Any) -> pd.DataFrame:  # noqa: ANN401
    return drive_laps(*arguments, laps=0.01 * laps, **options)


def _as_found(source: Source, cache: Path) -> Source:
    content = (cache / f"{source.name}.txt").read_bytes()
    return replace(source, sha256=hashlib.sha256(content).hexdigest())
