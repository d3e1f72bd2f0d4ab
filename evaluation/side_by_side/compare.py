"""Compares runs and studies: reads, measures, writes."""

from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import EvaluationError
from evaluation.side_by_side.config import CompareConfig
from evaluation.side_by_side.figures import figures
from evaluation.side_by_side.page import build, facts, findings
from evaluation.side_by_side.shared_laps import share
from evaluation.side_by_side.sources import read, together
from evaluation.side_by_side.tables import sheets
from maps.files.locks import locked_folder
from maps.files.whole import write_text
from nsac_core.benchmarks.report import save_figure
from nsac_core.benchmarks.sheets import Sheet

BRIEF = ("success", "completed", "return", "reference_return")
"""Tables for a terminal, by name."""


@dataclass(frozen=True)
class Comparison:
    """A comparison that is written.

    Attributes:
        folder: With ``report.html``, ``tables.md`` and ``figures``.
        facts: One line on what is compared.
        findings: A sentence for each policy.
        sheets: The tables.
    """

    folder: Path
    facts: str
    findings: list[str]
    sheets: list[Sheet]

    @property
    def brief(self) -> list[Sheet]:
        """The tables that a terminal shows: pooled by perturbation where there are many rows."""
        pooled = [sheet for sheet in self.sheets if sheet.name.startswith("pooled_")]
        return pooled or [sheet for sheet in self.sheets if sheet.name in BRIEF]

    @property
    def report(self) -> Path:
        """The page."""
        return self.folder / "report.html"


def compare_runs(config: CompareConfig) -> Comparison:
    """Writes tables, figures and the page of the laps that runs have in common.

    Raises:
        EvaluationError: They have none, or a folder holds no finished run or study.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    if not config.runs:
        raise EvaluationError("no run to compare")
    with locked_folder(config.out):
        return _compare(config)


def _compare(config: CompareConfig) -> Comparison:
    sources = [read(folder) for folder in dict.fromkeys(config.runs)]
    laps = share(together(sources))
    tables, pictures = sheets(laps), figures(laps)
    said, found = facts(laps, sources), findings(laps)
    (config.out / "figures").mkdir(exist_ok=True)
    for name, picture in pictures.items():
        save_figure(picture, config.out / "figures" / name)
    text = "\n".join(f"{sheet.caption}\n\n{sheet.markdown()}" for sheet in tables)
    write_text(config.out / "tables.md", f"{said}\n\n{text}")
    comparison = Comparison(config.out, said, found, tables)
    write_text(comparison.report, build(laps, sources, tables, pictures))
    return comparison
