"""What ``nsac-udacity-sim`` does with a configuration: runs the stand-in and prints."""

import sys
from dataclasses import fields

from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.simulator.config import StandInConfig
from drive.udacity.simulator.errors import SimulatorError
from drive.udacity.simulator.side_channel import STANDARD_OUTPUT
from drive.udacity.simulator.stand_in import run
from maps.faults import one_line


def run_stand_in(config: StandInConfig) -> None:
    """Runs the stand-in until it is over, and prints what came of it."""
    with one_line(SimulatorError, DrivingLogError):
        summary = run(config)
    # Standard output is a report's alone, that others may read it.
    file = sys.stderr if config.report == STANDARD_OUTPUT else sys.stdout
    for entry in fields(summary):
        print(f"{entry.name}: {getattr(summary, entry.name):.5g}", file=file)
