"""``nsac-udacity-sim``: parses the command line and calls the library."""

import sys
from dataclasses import fields

import tyro

from drive.udacity.driving_log import DrivingLogError
from drive.udacity.simulator.side_channel import STANDARD_OUTPUT
from drive.udacity.simulator.simulator import SimulatorError
from drive.udacity.simulator.stand_in import StandInConfig, run
from maps.faults import one_line


def main(arguments: list[str] | None = None) -> None:
    """Runs the stand-in; a fault is one line on stderr and exit status 2."""
    config = tyro.cli(
        StandInConfig,
        prog="nsac-udacity-sim",
        description="A stand-in for the Udacity simulator: connect to a controller, or record.",
        args=arguments,
    )
    with one_line(SimulatorError, DrivingLogError):
        summary = run(config)
    # Standard output is a report's alone, that others may read it.
    file = sys.stderr if config.report == STANDARD_OUTPUT else sys.stdout
    for entry in fields(summary):
        print(f"{entry.name}: {getattr(summary, entry.name):.5g}", file=file)
