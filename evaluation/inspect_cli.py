"""``nsac-inspect``: parses the command line and calls the library."""

import sys
from collections.abc import Callable

import tyro
from rich.console import Console

from evaluation.errors import EvaluationError
from evaluation.inspection.report.make_report import ReportConfig, make_report
from evaluation.inspection.saliency.study import SaliencyConfig, study
from evaluation.inspection.trace_study import TracesConfig, trace
from evaluation.inspection.wiring_figure import WiringConfig, save_wiring
from evaluation.side_by_side.tables import screen
from maps import MapError
from maps.faults import one_line
from policies import PolicyError


def main(arguments: list[str] | None = None) -> None:
    """Does what the first word says (a key of ``WORDS``); a fault is one line."""
    given = sys.argv[1:] if arguments is None else arguments
    if given and given[0] in WORDS:
        WORDS[given[0]](given[1:])
        return
    words = ", ".join(WORDS)
    print(f"usage: nsac-inspect WORD --help, where WORD is one of {words}")  # noqa: T201
    raise SystemExit(0 if given in (["-h"], ["--help"]) else 2)


def _traces(arguments: list[str]) -> None:
    config = tyro.cli(
        TracesConfig,
        prog="nsac-inspect traces",
        description="Trace the neurons of a driver along laps: tables, figures, a file a lap.",
        args=arguments,
    )
    with one_line(EvaluationError, PolicyError, MapError, OSError):
        traced = trace(config)
    console = Console(highlight=False)
    for sheet in traced.sheets:
        console.print(screen(sheet))
    for file in traced.figures:
        print(file)  # noqa: T201


def _saliency(arguments: list[str]) -> None:
    config = tyro.cli(
        SaliencyConfig,
        prog="nsac-inspect saliency",
        description="Show where drivers look along laps: scores, a video a lap, Figure 8 D.",
        args=arguments,
    )
    with one_line(EvaluationError, PolicyError, MapError, OSError):
        found = study(config)
    console = Console(highlight=False)
    for sheet in found.sheets:
        console.print(screen(sheet))
    for line in [*found.left_out, *map(str, found.files)]:
        print(line)  # noqa: T201


def _wiring(arguments: list[str]) -> None:
    config = tyro.cli(
        WiringConfig,
        prog="nsac-inspect wiring",
        description="Draw the circuit of a driver, at a step of a lap where one is given.",
        args=arguments,
    )
    with one_line(EvaluationError, PolicyError, MapError, OSError):
        print(save_wiring(config))  # noqa: T201


def _report(arguments: list[str]) -> None:
    config = tyro.cli(
        ReportConfig,
        prog="nsac-inspect report",
        description="Put laps on one page in which everything moves with one time slider.",
        args=arguments,
    )
    with one_line(EvaluationError, PolicyError, MapError, OSError):
        made = make_report(config)
    for line in made.left_out:
        print(f"no saliency: {line}")  # noqa: T201
    for file in (*made.figures, *([made.rerun] if made.rerun else [])):
        print(file)  # noqa: T201
    print(f"report: {made.report}")  # noqa: T201


WORDS: dict[str, Callable[[list[str]], None]] = {
    "report": _report,
    "saliency": _saliency,
    "traces": _traces,
    "wiring": _wiring,
}
"""The commands, by their first word."""
