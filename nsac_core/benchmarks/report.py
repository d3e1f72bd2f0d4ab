"""What a run amounts to: tables and figures, all from its two files of rows."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from maps.files import parquet_file
from maps.files.picture_file import save_picture
from maps.files.whole import write_text
from nsac_core.benchmarks import cells
from nsac_core.benchmarks.cells import with_part
from nsac_core.benchmarks.contenders import order
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.experiment import Picture, Presentation, Run
from nsac_core.benchmarks.figures import OVERVIEW, overview
from nsac_core.benchmarks.runner import settings_of
from nsac_core.benchmarks.scores import pooled, score, separate
from nsac_core.benchmarks.sheets import Sheet
from nsac_core.benchmarks.tables import sheets


@dataclass(frozen=True)
class Report:
    """A run, reported.

    Attributes:
        folder: Of the run.
        settings: What it was made with.
        scores: One row a cell and part: ``model, seed, part``, every metric, what training came to.
        separation: One row a cell, part and size of perturbation.
        sheets: The tables.
        figures: Stems of the figures' files, and what each shows.
    """

    folder: Path
    settings: dict[str, Any]
    scores: pd.DataFrame
    separation: pd.DataFrame
    sheets: list[Sheet]
    figures: dict[str, str]

    def summary(self) -> dict[str, Any]:
        """Settings, and the mean, the population standard deviation and the values of scores."""
        return {
            "settings": self.settings,
            "scores": _summary(self.scores, ["model", "part"]),
            "separation": _summary(self.separation, ["model", "part", "sigma"]),
        }


def collect(folder: Path, shown: Presentation = Presentation()) -> Report:  # noqa: B008 - frozen
    """Joins the cells of a run, whichever there are, and reports it.

    Args:
        folder: Of the run.
        shown: How; that of its experiment.

    Raises:
        BenchmarkError: If there is none.
    """
    files = sorted((folder / "cells").glob("*.parquet"))
    if not files:
        raise BenchmarkError(f"{folder}: is not the folder of a run with any cell done")
    read = [cells.read(file) for file in files]
    predictions = pd.concat([rows for rows, _ in read], ignore_index=True)
    keys = ("model", "seed")
    facts = pd.DataFrame([{**{k: rows[k].iloc[0] for k in keys}, **facts} for rows, facts in read])
    write_frame(folder / "predictions.parquet", predictions)
    write_frame(folder / "facts.parquet", facts)
    return report(folder, shown)


def report(folder: Path, shown: Presentation = Presentation()) -> Report:  # noqa: B008 - frozen
    """Writes scores, tables and figures from ``predictions.parquet`` and ``facts.parquet``.

    Args:
        folder: Of the run.
        shown: How; that of its experiment.

    Raises:
        BenchmarkError: If the folder lacks them.
    """
    run = _run(folder, shown)
    write_frame(folder / "scores.parquet", run.scores)
    write_frame(folder / "separation.parquet", run.separation)
    found: list[Sheet] = []
    if shown.usual:
        found += sheets(str(run.settings["data_set"]), run.scores, run.separation, shown)
    found += shown.sheets(run) if shown.sheets else []
    write_text(
        folder / "tables.md",
        "\n".join(f"{sheet.caption}\n\n{sheet.markdown()}" for sheet in found),
    )
    write_text(folder / "tables.tex", "\n".join(sheet.latex() for sheet in found))
    figures = _figures(run, shown)
    for name, (figure, _) in figures.items():
        save_figure(figure, folder / name)
    words = {name: shows for name, (_, shows) in figures.items()}
    return Report(folder, run.settings, run.scores, run.separation, found, words)


def _run(folder: Path, shown: Presentation) -> Run:
    """The scores of a folder's predictions."""
    settings = settings_of(folder)
    if not isinstance(settings.get("data_set"), str):
        raise BenchmarkError(f"{folder / 'run.json'}: has no field 'data_set' with a name")
    predictions = with_part(_read(folder / "predictions.parquet"))
    facts = _read(folder / "facts.parquet")
    rows = pooled(predictions, shown.pools)
    scores, separation = _ordered(score(rows, facts)), _ordered(separate(rows))
    return Run(folder, settings, predictions, scores, separation)


def _figures(run: Run, shown: Presentation) -> dict[str, Picture]:
    own = shown.figures(run) if shown.figures else {}
    if not shown.usual:
        return own
    rows = pooled(run.predictions, shown.pools)
    rows = rows[rows["part"] == shown.main]
    scores = run.scores[run.scores["part"] == shown.main]
    name = shown.published.get(shown.main, str(run.settings["data_set"]))
    return {"figure": (overview(name, rows, scores, shown.target), OVERVIEW), **own}


def write_summary(file: Path, found: Report) -> None:
    """Writes the summary of a run as JSON; NaN becomes null."""
    text = json.dumps(found.summary(), indent=2, allow_nan=False)
    write_text(file, text + "\n")


def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """As PNG and as SVG, whole or not at all; the same figure is the same file."""
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in ("png", "svg")]
    for file in files:
        save_picture(figure, file)
    return files


def _summary(frame: pd.DataFrame, keys: list[str]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    if not len(frame):
        return records
    numbers = frame.select_dtypes("number").columns.difference([*keys, "seed"], sort=False)
    for key, rows in frame.groupby(keys, sort=False):
        record: dict[str, Any] = dict(zip(keys, key, strict=True))
        record["seeds"] = rows["seed"].tolist()
        for name in numbers:
            values = rows[name].dropna().astype(float)
            if len(values):
                mean, std = float(values.mean()), float(values.std(ddof=0))
                record[name] = {"mean": mean, "std": std, "values": values.tolist()}
        records.append(record)
    return records


def _ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """Methods, variants, references; within each by seed."""
    if not len(frame):
        return frame
    place = frame["model"].map(order)
    keys = [key for key in ("place", "seed", "part", "sigma") if key == "place" or key in frame]
    return frame.assign(place=place).sort_values(keys).drop(columns="place").reset_index(drop=True)


def _read(file: Path) -> pd.DataFrame:
    if not file.is_file():
        raise BenchmarkError(f"{file}: no such file; the command that made the run writes it")
    return parquet_file.read(file)


def write_frame(file: Path, frame: pd.DataFrame) -> None:
    """Writes a table as Parquet, whole or not at all."""
    parquet_file.write(file, frame)
