"""``nsac-evaluate``: parses the command line and calls the library."""

import sys
from typing import Never

import tyro
from rich.console import Console

from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.run import evaluate
from evaluation.summary import screen_table, summarise
from maps import MapError
from policies import PolicyError


def main(arguments: list[str] | None = None) -> None:
    """Drives laps in closed loop; a fault is one line on stderr and exit status 2."""
    config = tyro.cli(
        EvaluateConfig,
        prog="nsac-evaluate",
        description="Drive laps in closed loop; repeat the command to resume.",
        args=arguments,
    )
    try:
        run = evaluate(config)
    except (EvaluationError, PolicyError, MapError, OSError) as error:
        _stop(f"error: {error}", 2)
    except KeyboardInterrupt:
        _stop("interrupted: the same command goes on where it stopped", 130)
    Console().print(screen_table(summarise(run.laps)))
    print(f"report: {run.report}")  # noqa: T201


def _stop(line: str, status: int) -> Never:
    print(line, file=sys.stderr)  # noqa: T201
    sys.exit(status)
