"""``nsac-inspect report``: drives what is missing, and puts all that is known on one page."""

from dataclasses import dataclass
from pathlib import Path

from evaluation.inspection.correlations import pooled
from evaluation.inspection.report.config import ReportConfig
from evaluation.inspection.report.evidence import Evidence
from evaluation.inspection.report.figures import figures
from evaluation.inspection.report.page import build
from evaluation.inspection.report.rerun_file import save_rerun
from evaluation.inspection.saliency import scorecard
from evaluation.inspection.saliency.looked import Looked
from evaluation.inspection.saliency.region_recorder import RegionRecorder
from evaluation.inspection.saliency.study import FILE as SCORES
from evaluation.inspection.saliency.study import look_at
from evaluation.inspection.seen_laps import SeenLap
from evaluation.inspection.trace_study import sheets_of
from evaluation.labels import file_name
from evaluation.run import alone
from maps.files import parquet_file
from maps.files.whole import write_text
from nsac_core.benchmarks.report import save_figure
from nsac_core.benchmarks.sheets import Sheet


@dataclass(frozen=True)
class Made:
    """What was made.

    Attributes:
        report: The page.
        figures: Files.
        rerun: The file for the Rerun viewer.
        left_out: A line on each driver without saliency.
    """

    report: Path
    figures: list[Path]
    rerun: Path | None
    left_out: list[str]


def make_report(config: ReportConfig) -> Made:
    """Makes ``seen/report.html`` in the run's folder, beside which the laps are, and figures.

    Raises:
        EvaluationError: A recording is of another lap, ``--rerun`` without Rerun's SDK, or as
            ``LapsConfig.laps``.
        PolicyError: As ``LapsConfig.laps``.
        MapError: There is no such map.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    with alone(config.out):
        return _make(config)


def _make(config: ReportConfig) -> Made:
    laps = config.laps([RegionRecorder] if config.saliency else [])
    left_out = _look(laps, config) if config.saliency else []
    shown = [Evidence.of(lap) for lap in laps]
    page = config.out / "seen" / "report.html"
    configuration = {**vars(config), "out": str(config.out), "rerun": str(config.rerun or "")}
    write_text(page, build(shown, configuration, _sheets(shown, config.out)))
    if config.rerun is not None:
        save_rerun(shown, config.rerun)
    return Made(page, _draw(laps, config.out / "figures"), config.rerun, left_out)


def _look(laps: list[SeenLap], config: ReportConfig) -> list[str]:
    """Saliency of the laps that have none yet."""
    new = [lap for lap in laps if Looked.read(lap.folder) is None]
    return look_at(new, config.sources(), trust=config.trust)[1]


def _sheets(shown: list[Evidence], run: Path) -> list[Sheet]:
    """Scores of the saliency where there are any, and what neurons know."""
    scores = run / SCORES
    sheets = scorecard.sheets(parquet_file.read(scores)) if scores.is_file() else []
    for policy in dict.fromkeys(e.lap.policy for e in shown):
        own = [(e.traces, e.lap.steps) for e in shown if e.lap.policy == policy]
        traced = [(traces, steps) for traces, steps in own if traces is not None]
        if traced:
            sheets += sheets_of(policy, pooled(traced))
    return sheets


def _draw(laps: list[SeenLap], folder: Path) -> list[Path]:
    """Figures of each map; those of an only one have no map in their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(lap.map for lap in laps))
    files = []
    for name in names:
        ending = "" if len(names) == 1 else f"_{file_name(name)}"
        own = {lap.policy: lap.steps for lap in laps if lap.map == name}
        for stem, figure in figures(list(own.values())).items():
            files += save_figure(figure, folder / f"{stem}{ending}")
    return files
