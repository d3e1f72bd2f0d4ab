"""What a run on the stand-in amounts to: tables, figures, and the blocks of a page."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from drive.udacity.simulator.courses import COURSES
from evaluation.errors import EvaluationError
from evaluation.udacity import figures
from evaluation.udacity.config import StandInConfig
from evaluation.udacity.drivers import SCRIPTED
from evaluation.udacity.measures import under_change
from evaluation.udacity.names import titles
from evaluation.udacity.tables import sheets
from maps.files.whole import copy_file, write_text
from nsac_core.benchmarks.page import fill_blocks, names_of_blocks
from nsac_core.benchmarks.report import save_figure
from nsac_core.benchmarks.sheets import Sheet

FIGURES = {
    "trajectories": "Path of the first driver on the map of each track, by its lateral error",
    "lateral_error": "Lateral error of each driver along each track, mean over the laps",
    "latency": "Autonomy and lateral error by latency, a line for each driver",
    "perturbations": "Autonomy under each perturbation, a bar for each driver",
}
"""Alternative texts by name."""


@dataclass(frozen=True)
class Report:
    """A run, reported.

    Attributes:
        folder: With ``tables.md``, ``tables.tex``, the figures and three Parquet files.
        sheets: The tables.
        figures: Names of the figures.
    """

    folder: Path
    sheets: list[Sheet]
    figures: list[str]


def report(
    config: StandInConfig, drives: pd.DataFrame, laps: pd.DataFrame, steps: pd.DataFrame
) -> Report:
    """Writes tables and figures of a run.

    Args:
        config: Of the run.
        drives: One row a drive, with its condition in words.
        laps: One row a lap.
        steps: One row a frame.

    Raises:
        EvaluationError: There is no such page.
        nsac_core.benchmarks.errors.BenchmarkError: The page names what the run does not have.
    """
    out = config.out
    found = sheets(drives, laps, config.speed)
    write_text(out / "tables.md", "\n".join(f"{s.caption}\n\n{s.markdown()}" for s in found))
    write_text(out / "tables.tex", "\n".join(sheet.latex() for sheet in found))
    drawn = _figures(drives, steps, config.speed)
    for name, figure in drawn.items():
        save_figure(figure, out / name)
    made = Report(out, found, list(drawn))
    if config.page is not None:
        fill(config.page, made)
    return made


def fill(page: Path, run: Report) -> None:
    """Writes the blocks of a page that are of this run, ``RUN/NAME``; RUN is the folder's name.

    Figures, ``RUN/figure_NAME``, are copied beside the page. Blocks of other runs stay as they are.

    Raises:
        EvaluationError: There is no such page.
        nsac_core.benchmarks.errors.BenchmarkError: A block is of this run, but there is no such.
    """
    if not page.is_file():
        raise EvaluationError(f"{page}: no such page")
    prefix = f"{run.folder.name}/"
    blocks = {
        f"{prefix}{sheet.name}": f"{sheet.caption}\n\n{sheet.markdown()}" for sheet in run.sheets
    }
    for name in run.figures:
        picture = f"{page.stem}_{run.folder.name}_{name}.svg"
        blocks[f"{prefix}figure_{name}"] = f"![{FIGURES[name]}]({picture})\n"
    others = [name for name in names_of_blocks(page) if not name.startswith(prefix)]
    fill_blocks(page, blocks, others)
    text = page.read_text(encoding="utf-8")
    for name in run.figures:
        picture = f"{page.stem}_{run.folder.name}_{name}.svg"
        if picture in text:
            copy_file(run.folder / f"{name}.svg", page.parent / picture)


def _figures(drives: pd.DataFrame, steps: pd.DataFrame, speed: float) -> dict[str, Figure]:
    """Those that there is something for."""
    tracks = {name: COURSES[name].track for name in drives["track"].unique()}
    clean = steps[(steps["late_ms"] == 0) & (steps["severity"] == 0)]
    best = next(iter([name for name in titles(clean) if name != SCRIPTED] or [SCRIPTED]))
    found = {
        "trajectories": figures.trajectories(clean, tracks, best),
        "lateral_error": figures.lateral_error(clean, tracks),
    }
    late, perturbed = (under_change(drives, name) for name in ("late_ms", "severity"))
    if len(late):
        found["latency"] = figures.by_latency(late, speed)
    if len(perturbed):
        found["perturbations"] = figures.by_perturbation(perturbed)
    return found
