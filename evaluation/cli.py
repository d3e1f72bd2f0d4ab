"""``nsac-evaluate``: parses the command line and calls the library."""

import tyro
from rich.console import Console

from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.run import evaluate
from evaluation.summary import screen_table, summarise
from maps import MapError
from maps.faults import one_line
from policies import PolicyError


def main(arguments: list[str] | None = None) -> None:
    """Drives laps in closed loop; a fault is one line on stderr and exit status 2."""
    config = tyro.cli(
        EvaluateConfig,
        prog="nsac-evaluate",
        description="Drive laps in closed loop; repeat the command to resume.",
        args=arguments,
    )
    with one_line(EvaluationError, PolicyError, MapError, OSError):
        run = evaluate(config)
    Console().print(screen_table(summarise(run.laps)))
    print(f"report: {run.report}")  # noqa: T201
