"""``nsac-record``: parses the command line and calls the library."""

from typing import Annotated

import tyro

from maps import MapError
from maps.faults import one_line
from policies import PolicyError
from policies.demonstrations import root_folder
from recorders.config import RecordConfig, RecordError
from recorders.record import record


def main(arguments: list[str] | None = None) -> None:
    """Records demonstrations; a fault is one line on stderr and exit status 2."""
    app = tyro.extras.SubcommandApp()
    app.command(name="carracing")(carracing)
    app.cli(prog="nsac-record", description="Record driving demonstrations.", args=arguments)


def carracing(config: Annotated[RecordConfig, tyro.conf.arg(name="")]) -> None:
    """Record CarRacing demonstrations as a Minari data set; repeat the command to resume."""
    with one_line(RecordError, PolicyError, MapError):
        name = record(config)
    print(f"recorded {name} in {root_folder(config.data_root) / name}")  # noqa: T201
