"""What a comparison amounts to: tables and figures, all from its files of rows."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from evaluation.comparison.clones import Clone
from evaluation.comparison.config import ARMS
from evaluation.comparison.figures import overview, returns
from evaluation.comparison.laps import Driven, driven
from evaluation.comparison.open_loop import OVERALL, predictions_file
from evaluation.comparison.tables import (
    arms_of,
    arms_sheet,
    difference_sheet,
    driving_sheet,
    gain_sheet,
    one_row_a_clone,
    open_loop_sheets,
)
from evaluation.comparison.while_driving import handing_over, while_driving
from evaluation.errors import EvaluationError
from maps.files import json_file, parquet_file
from maps.files.whole import copy_file, write_text
from nsac_core.benchmarks.figures import overview as open_loop_overview
from nsac_core.benchmarks.page import fill_blocks
from nsac_core.benchmarks.report import save_figure
from nsac_core.benchmarks.runner import settings_of
from nsac_core.benchmarks.sheets import Sheet

FIGURES = {
    "open_loop": "Error on the test episodes beside the paper's, calibration, and error of the "
    "most certain share",
    "overview": "Completion, return and lateral error by method and arm, with 95 % intervals",
    "uncertainty": "ROC and risk-coverage curves of each part of the uncertainty",
    "selective": "Departures and completion against the share that the supervisor drove",
    "returns": "Return of every lap by method and arm; crosses are laps not completed",
}
"""Alternative texts of the figures by name."""


@dataclass(frozen=True)
class Report:
    """A comparison, reported.

    Attributes:
        folder: With ``tables.md``, ``tables.tex`` and the figures.
        sheets: The tables.
        left: Blocks of the page whose stage is still to come.
    """

    folder: Path
    sheets: list[Sheet]
    left: list[str] = field(default_factory=list)


def report(out: Path, page: Path | None = None) -> Report:
    """Writes tables and figures of whatever stages are done.

    Args:
        out: Folder of the comparison.
        page: Markdown page whose blocks to fill; figures are copied beside it.

    Raises:
        EvaluationError: No stage is done that could be reported.
        nsac_core.benchmarks.errors.BenchmarkError: The page names what there is not.
    """
    folder = out / "report"
    folder.mkdir(parents=True, exist_ok=True)
    sheets: list[Sheet] = []
    figures: dict[str, Figure] = {}
    scores = out / "open_loop.parquet"
    if scores.is_file():
        found_scores = parquet_file.read(scores)
        sheets += open_loop_sheets(found_scores)
        figures["open_loop"] = _open_loop(out, found_scores)
    if any((out / "runs").glob("*/laps.parquet")):
        found = driven(out)
        figures |= {"overview": overview(found, _rng()), "returns": returns(found)}
        steps = while_driving(out, arms_of(found.clones), str(settings_of(out)["expert"]))
        sheets += [with_distance(sheet, steps.sheets) for sheet in _driving_sheets(found)]
        sheets += steps.sheets
        figures |= steps.figures
    supervised = handing_over(out)
    sheets += supervised.sheets
    figures |= supervised.figures
    sheets = [sheet for sheet in sheets if sheet.rows]
    if not sheets:
        raise EvaluationError(f"{out}: nothing to report; open-loop, drive or selective come first")
    write_text(folder / "tables.md", "\n".join(f"{s.caption}\n\n{s.markdown()}" for s in sheets))
    write_text(folder / "tables.tex", "\n".join(sheet.latex() for sheet in sheets))
    for name, figure in figures.items():
        save_figure(figure, folder / name)
    left = [] if page is None else _fill(page, out, sheets, list(figures))
    return Report(folder, sheets, left)


def _open_loop(out: Path, scores: pd.DataFrame) -> Figure:
    """The benchmarks' figure, of the clones of the first arm."""
    arm = arms_of(scores)[0]
    own = scores[scores["arm"] == arm]
    clones = own[["method", "seed"]].drop_duplicates()
    predictions = [
        parquet_file.read(predictions_file(out, Clone(arm, method, seed))).assign(
            model=method, seed=seed
        )
        for method, seed in clones.itertuples(index=False)
    ]
    overall = one_row_a_clone(own[own["action"] == OVERALL])
    rows = pd.concat(predictions, ignore_index=True)
    return open_loop_overview("carracing", rows, overall, f"the actions, {arm} clones")


def _driving_sheets(found: Driven) -> list[Sheet]:
    arms = arms_of(found.clones)
    sheets = [driving_sheet(found, arm, _rng()) for arm in arms]
    sheets.append(arms_sheet(found, _rng()))
    sheets += [difference_sheet(found, arm, _rng()) for arm in arms]
    sheets += [gain_sheet(found, arm, _rng()) for arm in arms if arm != "plain"]
    return sheets


def with_distance(sheet: Sheet, others: list[Sheet]) -> Sheet:
    """The laps of an arm with the paper's error as a last column, where it is among the others."""
    arm = sheet.name.removeprefix("driving_")
    own = next((other for other in others if other.name == f"expert_distance_{arm}"), None)
    if arm == sheet.name or own is None:
        return sheet
    distances = {row[0]: row[1] for row in own.rows}
    rows = [[*row, distances.get(row[0], "-")] for row in sheet.rows]
    return replace(sheet, head=[*sheet.head, "Paper's error (units)"], rows=rows)


def _fill(page: Path, out: Path, sheets: list[Sheet], figures: list[str]) -> list[str]:
    blocks = {sheet.name: f"{sheet.caption}\n\n{sheet.markdown()}" for sheet in sheets}
    for name in figures:
        words = FIGURES[name.split("_")[0] if name.startswith("uncertainty") else name]
        blocks[f"figure_{name}"] = f"![{words}](driving_{name}.svg)\n"
    blocks["settings"] = f"```json\n{json.dumps(settings_of(out), indent=1)}\n```\n"
    data = out / "data.json"
    if data.is_file():
        blocks["data"] = _data(json_file.read(data))
    if not page.is_file():
        raise EvaluationError(f"{page}: no such page")
    left = fill_blocks(page, blocks, _possible())
    text = page.read_text(encoding="utf-8")
    for name in figures:
        picture = page.parent / f"driving_{name}.svg"
        if picture.name in text:
            copy_file(out / "report" / f"{name}.svg", picture)
    return left


def _possible() -> set[str]:
    """Names of all blocks that a comparison with every stage and arm makes."""
    names = {"data", "settings", "arms", "selective", "figure_selective"}
    names |= {f"figure_{name}" for name in ("open_loop", "overview", "returns")}
    for kind in (
        *("open_loop", "open_loop_more", "open_loop_actions", "driving", "differences", "gains"),
        *("uncertainty", "figure_uncertainty", "expert_distance"),
    ):
        names |= {f"{kind}_{arm}" for arm in ARMS}
    return names


def _data(facts: dict[str, object]) -> str:
    return (
        f"{facts['episodes']} episodes of {facts['steps']} steps together, {facts['laps']} laps "
        f"completed, mean return {facts['mean_return']:.1f}. Recorded by\n\n"
        f"```\n{facts['recipe']}\n```\n\nSHA-256 of all frames and actions: "
        f"`{facts['fingerprint']}`.\n"
    )


def _rng() -> np.random.Generator:
    """The same for each table, whichever others there are."""
    return np.random.default_rng(0)
