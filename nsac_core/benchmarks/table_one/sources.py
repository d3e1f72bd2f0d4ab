"""Where the numbers of Table 1 come from: the folders of runs, whichever there are."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from maps.files import parquet_file
from nsac_core.benchmarks.cells import ONLY_PART
from nsac_core.methods import METHODS

METRICS = ("mse", "nll", "crps", "ece", "auroc")
"""Those of Table 1."""

_DRIVERS = {"arm": "plain", "action": "overall"}
"""The rows of a study of cloned drivers that are those of Table 1."""


@dataclass(frozen=True)
class Source:
    """A column of Table 1.

    Attributes:
        data_set: Its name in the paper.
        title: As in tables.
        run: Folder of its run, in that of all runs.
        part: Of the test.
        command: What makes it.
    """

    data_set: str
    title: str
    run: str
    part: str
    command: str


SOURCES = (
    Source("spiral", "Spiral", "spiral", "interpolation", "nsac-bench spiral"),
    Source("boston", "Boston", "boston", ONLY_PART, "nsac-bench boston"),
    Source("kin8nm", "Kin8nm", "kin8nm", ONLY_PART, "nsac-bench kin8nm"),
    Source("ettm1", "ETTm1", "ettm1", ONLY_PART, "nsac-bench ettm1"),
    Source("jena", "Jena", "jena", ONLY_PART, "nsac-bench jena"),
    Source("xjtu", "XJTU-SY", "bearings", "xjtu", "nsac-bench bearings"),
    Source("pronostia", "PRONOSTIA", "bearings", "pronostia", "nsac-bench bearings"),
    Source("hust", "HUST", "bearings", "hust", "nsac-bench bearings"),
    Source("udacity", "Udacity", "udacity", ONLY_PART, "nsac-evaluate udacity-open-loop"),
    Source("carracing", "CarRacing", "", "", "nsac-evaluate drivers"),
)
"""In the order of the paper; CarRacing has a folder of its own."""


def gathered(runs: Path, drivers: Path) -> pd.DataFrame:
    """All scores that there are: ``data_set, model, seed, metric, value``, references included.

    Args:
        runs: Folder of the runs of ``nsac-bench``.
        drivers: Folder of a study of cloned drivers.
    """
    found = [_of_run(runs / source.run, source) for source in SOURCES if source.run]
    found.append(_of_drivers(drivers / "open_loop.parquet"))
    return pd.concat(found, ignore_index=True)


def _of_run(folder: Path, source: Source) -> pd.DataFrame:
    file = folder / "scores.parquet"
    if not file.is_file():
        return _nothing()
    scores = parquet_file.read(file, needed=("model", "seed", *METRICS))
    if "part" in scores:  # runs of one part had no such column once
        scores = scores[scores["part"] == source.part]
    scores = scores[~scores["model"].str.contains("_lambda_")]
    rows = scores.melt(["model", "seed"], list(METRICS), "metric", "value")
    return rows.assign(data_set=source.data_set)[list(_nothing().columns)]


def _of_drivers(file: Path) -> pd.DataFrame:
    if not file.is_file():
        return _nothing()
    rows = parquet_file.read(file, needed=(*_DRIVERS, "metric", "method", "seed", "value"))
    for column, value in _DRIVERS.items():
        rows = rows[rows[column] == value]
    rows = rows[rows["metric"].isin(METRICS) & rows["method"].isin(list(METHODS))]
    named = rows.rename(columns={"method": "model"}).assign(data_set="carracing")
    return named[list(_nothing().columns)]


def _nothing() -> pd.DataFrame:
    kinds = {"data_set": str, "model": str, "seed": int, "metric": str, "value": float}
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in kinds.items()})
