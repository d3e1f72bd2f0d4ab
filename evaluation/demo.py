"""The whole loop on one machine: record, clone, correct, drive, report."""

import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from evaluation.config import EvaluateConfig
from evaluation.demo_config import DemoConfig
from evaluation.errors import EvaluationError
from evaluation.run import evaluate
from evaluation.summary import screen_table, summarise
from maps import MapError
from maps.console import console
from maps.faults import one_line
from policies import PolicyError
from policies.demonstrations import DemonstrationError
from recorders import RecordError
from recorders.dagger import clone


def demo(config: DemoConfig, shown: Console) -> Path:
    """Runs the stages and tells how long each took.

    Returns:
        The report.
    """
    start = time.perf_counter()

    def tell(line: str) -> None:
        seconds = time.perf_counter() - start
        passed = (f"{seconds // 60:2.0f}:{seconds % 60:02.0f}", "dim")
        shown.print(Text.assemble(passed, "  ", line))

    policy = clone(config.dagger, config.out, tell)
    tell(f"policy ready: {policy}")
    run = evaluate(
        EvaluateConfig(
            policy=(str(policy),),
            maps=config.maps,
            out=config.out / "evaluation",
            workers=config.dagger.workers,
        )
    )
    laps = len(run.laps)
    tell(f"drove {laps} {'lap' if laps == 1 else 'laps'} on tracks it never saw")
    shown.print(screen_table(summarise(run.laps)))
    tell(f"report: {run.report}")
    return run.report


def run_demo(config: DemoConfig) -> None:
    """Runs the demonstration; a fault is one line on stderr and exit status 2."""
    with one_line(EvaluationError, RecordError, PolicyError, DemonstrationError, MapError):
        demo(config, console(soft_wrap=False))
