"""``nsac-record``: parses the command line and calls the library."""

import sys
from typing import Annotated

import tyro
from rich.console import Console

from drive.udacity.bridge import BridgeError
from drive.udacity.driving_log import DrivingLogError
from maps import MapError
from maps.faults import one_line
from policies import PolicyError
from policies.demonstrations import root_folder
from recorders.config import RecordConfig, RecordError
from recorders.recording import record
from recorders.udacity import UdacityRecordConfig, record_udacity
from recorders.udacity_check import CheckConfig, check

UNSOUND = 1
"""Exit status of a check that found rows or images lost."""


def main(arguments: list[str] | None = None) -> None:
    """Records or checks; a fault is one line on stderr and exit status 2."""
    app = tyro.extras.SubcommandApp()
    app.command(name="carracing")(carracing)
    app.command(name="udacity")(udacity)
    app.command(name="check")(check_udacity)
    app.cli(prog="nsac-record", description="Record driving demonstrations.", args=arguments)


def carracing(config: Annotated[RecordConfig, tyro.conf.arg(name="")]) -> None:
    """Record CarRacing demonstrations as a Minari data set; repeat the command to resume."""
    with one_line(RecordError, PolicyError, MapError):
        name = record(config)
    print(f"recorded {name} in {root_folder(config.data_root) / name}")  # noqa: T201


def udacity(config: Annotated[UdacityRecordConfig, tyro.conf.arg(name="")]) -> None:
    """Record what somebody drives in the Udacity simulator, or in the stand-in, until Ctrl+C."""
    with one_line(DrivingLogError, BridgeError, OSError):
        rows = record_udacity(config, Console(stderr=True))
    print(f"recorded {rows} rows in {config.out}")  # noqa: T201


def check_udacity(
    config: Annotated[CheckConfig, tyro.conf.arg(name=""), tyro.conf.OmitArgPrefixes],
) -> None:
    """Say what is wrong with a recording of the Udacity simulator, row by row."""
    with one_line(DrivingLogError):
        finding = check(config)
    print("\n".join(finding.lines))  # noqa: T201
    if not finding.sound:
        sys.exit(UNSOUND)
