"""``nsac-evaluate``: parses the command line and calls the library."""

import sys
from collections.abc import Callable, Iterable

import tyro
from rich.console import Console

from drive.udacity.bridge import BridgeError
from drive.udacity.driving_log import DrivingLogError
from drive.udacity.frames import FrameError
from evaluation.comparison.config import ComparisonConfig
from evaluation.comparison.study import compare
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.perturbation_sheet import SheetConfig, save_sheet
from evaluation.run import evaluate
from evaluation.sample_size import LapsNeededConfig, answer
from evaluation.side_by_side import CompareConfig, Comparison, compare_runs
from evaluation.side_by_side.tables import screen
from evaluation.study import StudyConfig, run_study
from evaluation.summary import screen_table, summarise
from evaluation.udacity.config import StandInConfig
from evaluation.udacity.live import LiveConfig, drive_live
from evaluation.udacity.open_loop import OpenLoopConfig, open_loop
from evaluation.udacity.run import evaluate as evaluate_stand_in
from evaluation.udacity.saliency import SaliencyConfig, draw_saliency
from maps import MapError
from maps.faults import one_line
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.report import write_summary
from nsac_core.benchmarks.sheets import Sheet
from policies import PolicyError
from policies.demonstrations import DemonstrationError
from recorders import RecordError


def main(arguments: list[str] | None = None) -> None:
    """Drives laps, or does what the first word says (a key of ``WORDS``); a fault is one line."""
    given = sys.argv[1:] if arguments is None else arguments
    if given and given[0] in WORDS:
        WORDS[given[0]](given[1:])
        return
    if any(word.split("=")[0] == "--world" for word in given):
        _live(given)
        return
    config = tyro.cli(
        EvaluateConfig,
        prog="nsac-evaluate",
        description="Drive laps in closed loop; repeat the command to resume. "
        f"`nsac-evaluate WORD --help` tells of other commands: {', '.join(WORDS)}; "
        "`nsac-evaluate --world udacity --help` of driving the Udacity simulator.",
        args=given,
    )
    with one_line(EvaluationError, PolicyError, MapError, OSError):
        run = evaluate(config)
    Console().print(screen_table(summarise(run.laps)))
    print(f"report: {run.report}")  # noqa: T201


def _live(arguments: list[str]) -> None:
    config = tyro.cli(
        LiveConfig,
        prog="nsac-evaluate",
        description="Drive the Udacity simulator, or the stand-in for it, whichever connects.",
        args=arguments,
    )
    console = Console(highlight=False)
    with one_line(EvaluationError, BridgeError, DrivingLogError, PolicyError, OSError):
        drive_live(config, console)


def _drivers(arguments: list[str]) -> None:
    config = tyro.cli(
        ComparisonConfig,
        prog="nsac-evaluate drivers",
        description="Clone drivers by every method and compare them; repeat the command to resume.",
        args=arguments,
    )
    console = Console(soft_wrap=True, highlight=False)
    with one_line(
        *(EvaluationError, BenchmarkError, PolicyError, RecordError, DemonstrationError),
        *(MapError, OSError),
    ):
        found = compare(config, lambda line: console.print(line, markup=False))
    if found is not None:
        _print_sheets(found.sheets, f"wrote {found.folder}/tables.md, tables.tex and figures")


def _perturbations(arguments: list[str]) -> None:
    config = tyro.cli(
        SheetConfig,
        prog="nsac-evaluate perturbations",
        description="Draw a sheet of what each perturbation does, at each severity.",
        args=arguments,
    )
    with one_line(EvaluationError, MapError, OSError):
        print(save_sheet(config))  # noqa: T201


def _laps_needed(arguments: list[str]) -> None:
    config = tyro.cli(
        LapsNeededConfig,
        prog="nsac-evaluate laps-needed",
        description="How many laps tell two shares apart.",
        args=arguments,
    )
    with one_line(EvaluationError):
        print(answer(config))  # noqa: T201


def _study(arguments: list[str]) -> None:
    config = tyro.cli(
        StudyConfig,
        prog="nsac-evaluate study",
        description="Drive policies x maps x perturbations x seeds; repeat the command to resume.",
        args=arguments,
    )
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with one_line(EvaluationError, PolicyError, MapError, OSError):
        study = run_study(config, lambda line: console.print(line, markup=False))
        found = compare_runs(CompareConfig((study.folder,), study.folder))
    _print_comparison(found)


def _compare(arguments: list[str]) -> None:
    config = tyro.cli(
        CompareConfig,
        prog="nsac-evaluate compare",
        description="Put runs and studies side by side, by the laps that they have in common.",
        args=arguments,
    )
    with one_line(EvaluationError, OSError):
        found = compare_runs(config)
    _print_comparison(found)


def _udacity(arguments: list[str]) -> None:
    config = tyro.cli(
        StandInConfig,
        prog="nsac-evaluate udacity",
        description="Drive the stand-in for the Udacity simulator in closed loop; repeat the "
        "command to resume. `nsac-evaluate --world udacity` drives the program itself.",
        args=arguments,
    )
    with one_line(EvaluationError, PolicyError, BenchmarkError, OSError):
        found = evaluate_stand_in(config)
    _print_sheets(found.sheets, f"wrote {found.folder}/tables.md, tables.tex and figures")


def _udacity_open_loop(arguments: list[str]) -> None:
    config = tyro.cli(
        OpenLoopConfig,
        prog="nsac-evaluate udacity-open-loop",
        description="Train every method on recordings of the Udacity simulator and test it on "
        "stretches held out; repeat the command to resume.",
        args=arguments,
    )
    with one_line(BenchmarkError, DrivingLogError, OSError):
        found = open_loop(config)
        if config.json is not None:
            write_summary(config.json, found)
    _print_sheets(
        found.sheets, f"wrote {found.folder}/tables.md, tables.tex, policies and figure.png"
    )


def _udacity_saliency(arguments: list[str]) -> None:
    config = tyro.cli(
        SaliencyConfig,
        prog="nsac-evaluate udacity-saliency",
        description="Draw where policies of the Udacity simulator look, over recorded frames.",
        args=arguments,
    )
    with one_line(EvaluationError, PolicyError, DrivingLogError, FrameError, OSError):
        print(draw_saliency(config))  # noqa: T201


def _print_sheets(sheets: Iterable[Sheet], written: str) -> None:
    console = Console(soft_wrap=True, highlight=False)
    for sheet in sheets:
        console.print(f"\n{sheet.caption}\n\n{sheet.markdown()}", markup=False, end="")
    console.print(f"\n{written}")


def _print_comparison(found: Comparison) -> None:
    console = Console(highlight=False)
    console.print(found.facts, markup=False)
    for line in found.findings:
        console.print(line, markup=False)
    for sheet in found.brief:
        console.print(screen(sheet))
    print(f"report: {found.report}")  # noqa: T201


WORDS: dict[str, Callable[[list[str]], None]] = {
    "compare": _compare,
    "drivers": _drivers,
    "laps-needed": _laps_needed,
    "perturbations": _perturbations,
    "study": _study,
    "udacity": _udacity,
    "udacity-open-loop": _udacity_open_loop,
    "udacity-saliency": _udacity_saliency,
}
"""Commands beside the evaluation itself, by their first word."""
