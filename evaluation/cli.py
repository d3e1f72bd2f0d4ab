"""``nsac-evaluate``: parses the command line and calls the library."""

import sys
from collections.abc import Callable

import tyro
from rich.console import Console

from evaluation.comparison.config import ComparisonConfig
from evaluation.comparison.study import compare
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.run import evaluate
from evaluation.sample_size import LapsNeededConfig, answer
from evaluation.summary import screen_table, summarise
from maps import MapError
from maps.faults import one_line
from nsac_core.benchmarks.errors import BenchmarkError
from policies import PolicyError
from policies.demonstrations import DemonstrationError
from recorders import RecordError


def main(arguments: list[str] | None = None) -> None:
    """Drives laps, or does what the first word says (a key of ``WORDS``); a fault is one line."""
    given = sys.argv[1:] if arguments is None else arguments
    if given and given[0] in WORDS:
        WORDS[given[0]](given[1:])
        return
    config = tyro.cli(
        EvaluateConfig,
        prog="nsac-evaluate",
        description="Drive laps in closed loop; repeat the command to resume. "
        f"`nsac-evaluate WORD --help` tells of other commands: {', '.join(WORDS)}.",
        args=given,
    )
    with one_line(EvaluationError, PolicyError, MapError, OSError):
        run = evaluate(config)
    Console().print(screen_table(summarise(run.laps)))
    print(f"report: {run.report}")  # noqa: T201


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
        for sheet in found.sheets:
            console.print(f"\n{sheet.caption}\n\n{sheet.markdown()}", markup=False, end="")
        console.print(f"\nwrote {found.folder}/tables.md, tables.tex and figures")


def _laps_needed(arguments: list[str]) -> None:
    config = tyro.cli(
        LapsNeededConfig,
        prog="nsac-evaluate laps-needed",
        description="How many laps tell two shares apart.",
        args=arguments,
    )
    with one_line(EvaluationError):
        print(answer(config))  # noqa: T201


WORDS: dict[str, Callable[[list[str]], None]] = {
    "drivers": _drivers,
    "laps-needed": _laps_needed,
}
"""Commands beside the evaluation itself, by their first word."""
