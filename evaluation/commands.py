"""What ``nsac-evaluate`` does with a configuration: calls the library and prints."""

from collections.abc import Iterable

from drive.udacity.bridge_config import BridgeError
from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.frames import FrameError
from evaluation.comparison.config import ComparisonConfig
from evaluation.comparison.study import compare as compare_drivers
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.perturbation_sheet import save_sheet
from evaluation.perturbation_sheet_config import SheetConfig
from evaluation.run import evaluate
from evaluation.sample_size import answer
from evaluation.sample_size_config import LapsNeededConfig
from evaluation.side_by_side import Comparison, compare_runs
from evaluation.side_by_side.config import CompareConfig
from evaluation.side_by_side.tables import screen
from evaluation.study.config import StudyConfig
from evaluation.study.run import run_study
from evaluation.summary import screen_table, summarise
from evaluation.udacity.config import StandInConfig
from evaluation.udacity.live import drive_live
from evaluation.udacity.live_config import LiveConfig
from evaluation.udacity.open_loop import open_loop
from evaluation.udacity.open_loop_config import OpenLoopConfig
from evaluation.udacity.run import evaluate as evaluate_stand_in
from evaluation.udacity.saliency import draw_saliency
from evaluation.udacity.saliency_config import SaliencyConfig
from maps import MapError
from maps.console import console
from maps.faults import one_line
from maps.files.whole import writable
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.report import write_summary
from nsac_core.benchmarks.sheets import Sheet
from policies.demonstrations import DemonstrationError
from policies.errors import PolicyError
from recorders.config import RecordError


def laps(config: EvaluateConfig) -> None:
    """Drives laps in closed loop."""
    with one_line(EvaluationError, PolicyError, MapError):
        run = evaluate(config)
    console(soft_wrap=False).print(screen_table(summarise(run.laps)))
    print(f"report: {run.report}")  # noqa: T201


def live(config: LiveConfig) -> None:
    """Drives the Udacity simulator, or the stand-in for it, whichever connects."""
    with one_line(EvaluationError, BridgeError, DrivingLogError, PolicyError):
        drive_live(config, console(soft_wrap=False))


def drivers(config: ComparisonConfig) -> None:
    """Clones drivers by every method and compares them."""
    with one_line(
        EvaluationError, BenchmarkError, PolicyError, RecordError, DemonstrationError, MapError
    ):
        found = compare_drivers(config, console().print)
    if found is not None:
        _print_sheets(found.sheets, f"wrote {found.folder}/tables.md, tables.tex and figures")


def perturbations(config: SheetConfig) -> None:
    """Draws a sheet of what each perturbation does."""
    with one_line(EvaluationError, MapError):
        print(save_sheet(config))  # noqa: T201


def laps_needed(config: LapsNeededConfig) -> None:
    """Says how many laps tell two shares apart."""
    with one_line(EvaluationError):
        print(answer(config))  # noqa: T201


def study(config: StudyConfig) -> None:
    """Drives a study and compares its policies."""
    with one_line(EvaluationError, PolicyError, MapError):
        done = run_study(config, console(stderr=True).print)
        found = compare_runs(CompareConfig((done.folder,), done.folder))
    _print_comparison(found)


def compare(config: CompareConfig) -> None:
    """Puts runs and studies side by side."""
    with one_line(EvaluationError):
        found = compare_runs(config)
    _print_comparison(found)


def udacity(config: StandInConfig) -> None:
    """Drives the stand-in for the Udacity simulator in closed loop."""
    with one_line(EvaluationError, PolicyError, BenchmarkError):
        found = evaluate_stand_in(config)
    _print_sheets(found.sheets, f"wrote {found.folder}/tables.md, tables.tex and figures")


def udacity_open_loop(config: OpenLoopConfig) -> None:
    """Trains every method on recordings of the Udacity simulator and tests it."""
    with one_line(BenchmarkError, DrivingLogError), writable(config.json):
        found = open_loop(config)
        if config.json is not None:
            write_summary(config.json, found)
    _print_sheets(
        found.sheets, f"wrote {found.folder}/tables.md, tables.tex, policies and figure.png"
    )


def udacity_saliency(config: SaliencyConfig) -> None:
    """Draws where policies of the Udacity simulator look."""
    with one_line(EvaluationError, PolicyError, DrivingLogError, FrameError):
        print(draw_saliency(config))  # noqa: T201


def _print_sheets(sheets: Iterable[Sheet], written: str) -> None:
    for sheet in sheets:
        console().print(f"\n{sheet.caption}\n\n{sheet.markdown()}", end="")
    console().print(f"\n{written}")


def _print_comparison(found: Comparison) -> None:
    shown = console(soft_wrap=False)
    for line in (found.facts, *found.findings):
        shown.print(line)
    for sheet in found.brief:
        shown.print(screen(sheet))
    print(f"report: {found.report}")  # noqa: T201
