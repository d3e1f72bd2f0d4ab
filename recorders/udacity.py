"""Records a drive of the Udacity simulator through the bridge, and reads recordings of it.

Whoever drives sits at the simulator: a person, or the scripted driver of the stand-in. What is
written is the simulator's own format, with the centre camera's images byte for byte as they came.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime

from rich.console import Console
from rich.live import Live

from drive.udacity.bridge import Bridge, Driver, in_background
from drive.udacity.bridge_config import BridgeConfig
from drive.udacity.driving_log import DrivingLog
from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.frame_shape import Frame
from drive.udacity.protocol import MAX_STEERING_DEGREES, Command, Telemetry
from drive.udacity.recordings import Fault, Recording, Row, read
from maps.files.locks import locked_folder
from recorders.udacity_config import UdacityRecordConfig

__all__ = [
    "DrivingLog",
    "DrivingLogError",
    "Fault",
    "Recording",
    "Row",
    "UdacityRecordConfig",
    "read",
    "record_udacity",
]

_REFRESH = 0.1
"""Seconds between two looks at how far the recording is."""


class Passenger:
    """Writes down what the simulator tells, and leaves the wheel to whoever drives there.

    Its answer is what the simulator says is being done: one who drives there does not heed it, and
    a car that nobody drives goes on as it went.

    Args:
        log: Where it is written.
        full: Whether there is nothing to be written any more.
    """

    def __init__(self, log: DrivingLog, full: Callable[[], bool] = lambda: False) -> None:
        self.log, self.full = log, full

    def reset(self) -> None:
        """Keeps nothing."""

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:  # noqa: ARG002 - its JPEG is
        """Writes one row.

        Raises:
            DrivingLogError: If a number is out of its range, or the row cannot be written.
        """
        steering = telemetry.steering_angle / MAX_STEERING_DEGREES
        if not self.full():
            self.log.append(
                [telemetry.image],
                steering=steering,
                throttle=telemetry.throttle,
                brake=0.0,
                speed=telemetry.speed,
                moment=datetime.now().astimezone(),
            )
        return Command(steering, telemetry.throttle)


@dataclass
class _Passengers:
    """Makes a passenger for each simulator; the first at once, so that a fault is named at once."""

    config: UdacityRecordConfig
    files: ExitStack
    logs: list[DrivingLog] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(log.rows for log in self.logs)

    def full(self) -> bool:
        """Whether as many rows are written as were asked for."""
        return 0 < self.config.rows <= self.rows

    def check(self) -> None:
        """Raises the fault of a row that could not be written."""
        for log in self.logs:
            log.check()

    def make(self) -> Callable[[], Driver]:
        waiting: list[Driver] = [self._passenger()]
        return lambda: waiting.pop() if waiting else self._passenger()

    def _passenger(self) -> Driver:
        number = len(self.logs) + 1
        out = self.config.out
        folder = out if number == 1 else out / f"simulator-{number}"
        self.logs.append(self.files.enter_context(DrivingLog(folder)))
        return Passenger(self.logs[-1], self.full)


def record_udacity(
    config: UdacityRecordConfig,
    console: Console | None = None,
    ready: Callable[[int], None] = lambda port: None,  # noqa: ARG005
) -> int:
    """Records whatever connects, until it is enough or the program is interrupted.

    Args:
        config: What is recorded.
        console: Where it is shown how far it is; None shows nothing.
        ready: Called with the port once it is open.

    Returns:
        How many rows were written.

    Raises:
        DrivingLogError: The configuration cannot be, or the folder or a row cannot be written.
        drive.udacity.bridge.BridgeError: The port is none, or the address public.
        maps.files.locks.LockedError: Another process writes to the folder.
        OSError: The port is taken, or the folder cannot be written.
    """
    config.check()
    bridge_config = BridgeConfig(config.port, config.host, config.public)
    with ExitStack() as files:
        files.enter_context(locked_folder(config.out))
        passengers = _Passengers(config, files)
        with in_background(passengers.make(), bridge_config) as bridge:
            ready(bridge.port)
            with suppress(KeyboardInterrupt):
                _watch(config, passengers, bridge, console)
        return passengers.rows


def _watch(
    config: UdacityRecordConfig, passengers: _Passengers, bridge: Bridge, console: Console | None
) -> None:
    """Shows how far the recording is, until it is enough."""
    start = time.monotonic()
    shown = console or Console(quiet=True)
    with Live(console=shown, auto_refresh=False, transient=True) as live:
        while True:
            passengers.check()
            passed = time.monotonic() - start
            if passengers.full() or 0 < config.seconds <= passed:
                return
            if not config.quiet:
                live.update(_line(passengers.rows, bridge), refresh=True)
            time.sleep(_REFRESH)


def _line(rows: int, bridge: Bridge) -> str:
    faults = ", ".join(f"{times} {cause}" for cause, times in dict(bridge.faults.counts).items())
    where = f"{bridge.config.host}:{bridge.port}"
    return f"recording on {where}: {rows} rows{f'; faults: {faults}' if faults else ''}"
