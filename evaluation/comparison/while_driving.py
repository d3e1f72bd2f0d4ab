"""What a report says of a comparison's steps: uncertainty, distance to the expert, takeovers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from matplotlib.figure import Figure

from evaluation import run_description
from evaluation.comparison import expert_distance, takeovers, uncertainty
from evaluation.comparison.laps import CEILINGS
from evaluation.comparison.selective import SETTINGS
from nsac_core.benchmarks.sheets import Sheet


@dataclass(frozen=True)
class Found:
    """Tables and figures.

    Attributes:
        sheets: Each with the arm in its name.
        figures: By names made likewise.
    """

    sheets: list[Sheet]
    figures: dict[str, Figure]


def while_driving(out: Path, arms: Sequence[str], expert: str) -> Found:
    """The tables and figures that read the steps of the runs, of whatever is done.

    Args:
        out: Folder of the comparison.
        arms: Which arms have driven.
        expert: What loads the expert.
    """
    found = Found([], {})
    for arm in arms:
        run, predictions = out / "runs" / arm, out / "open_loop" / arm
        predicted = predictions if predictions.is_dir() else None
        sheets = uncertainty.tables(run, predicted)
        label = _label(out / "runs" / CEILINGS, expert)
        if label is not None:
            sheets += expert_distance.tables(run, out / "runs" / CEILINGS, label)
        found.sheets.extend(replace(sheet, name=f"{sheet.name}_{arm}") for sheet in sheets)
        for name, figure in uncertainty.figures(run, predicted).items():
            found.figures[f"{name}_{arm}"] = figure
    return found


def handing_over(out: Path) -> Found:
    """The tables and figures of the drivers with a supervisor, if they have driven."""
    folder = out / "selective"
    if not (folder / SETTINGS).is_file():
        return Found([], {})
    return Found(takeovers.tables(folder), takeovers.figures(folder))


def _label(ceilings: Path, expert: str) -> str | None:
    """What the run of the ceilings calls the expert, or None where it did not drive."""
    if not (ceilings / "steps.parquet").is_file():
        return None
    sources = run_description.read(ceilings).sources
    return next((label for label, source in sources.items() if source == expert), None)
