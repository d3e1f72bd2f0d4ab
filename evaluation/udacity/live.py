"""Drives the Udacity simulator, or the stand-in for it, whichever connects, until told to stop."""

import asyncio
import contextlib
import signal
from contextlib import ExitStack
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live

import policies
from drive.udacity.bridge import Bridge, Driver, Status, first_at_once
from drive.udacity.driving_log import DrivingLog
from drive.udacity.recorded import RecordedDriver
from evaluation.udacity.driver import PolicyDriver
from evaluation.udacity.live_config import LiveConfig
from evaluation.udacity.screen import screen
from maps.files.locks import locked_folder

REFRESH = 0.25
"""Seconds between two looks at the screen."""


@dataclass
class _Drivers:
    """Makes a driver for each simulator."""

    config: LiveConfig
    files: ExitStack
    logs: list[DrivingLog] = field(default_factory=list)
    _made: int = 0

    def make(self) -> Driver:
        config = self.config
        policy = policies.load(config.policy, trust=config.trust)
        driver = PolicyDriver(policy, config.speed, config.seed)
        self._made += 1
        if config.record is None:
            return driver
        folder = config.record if self._made == 1 else config.record / f"simulator-{self._made}"
        self.logs.append(self.files.enter_context(DrivingLog(folder)))
        return RecordedDriver(driver, self.logs[-1])


def drive_live(config: LiveConfig, console: Console) -> Status:
    """Drives whatever connects, and brings it to rest at the end.

    Args:
        config: Who drives, and where.
        console: Where rate, latency and faults are shown.

    Returns:
        How it went.

    Raises:
        EvaluationError, PolicyError, BridgeError: In one line, before anything is driven.
        drive.udacity.driving_log.DrivingLogError: The folder, or a row later, cannot be written.
        maps.files.locks.LockedError: Another process writes to the folder.
        OSError: The port is taken, or the folder cannot be written.
    """
    config.check()
    with ExitStack() as files:
        if config.record is not None:
            files.enter_context(locked_folder(config.record))
        return asyncio.run(_serve(_Drivers(config, files), config, console))


async def _serve(drivers: _Drivers, config: LiveConfig, console: Console) -> Status:
    async with Bridge(first_at_once(drivers.make), config.bridge) as bridge:
        port, told = bridge.port, _told_to_stop()
        with (
            Live(console=console, auto_refresh=False, transient=True) as live,
            contextlib.suppress(TimeoutError),
        ):
            await asyncio.wait_for(_watch(bridge, drivers, live, told), config.seconds or None)
    status = bridge.status()
    console.print(screen(status, config.policy, f"{config.host}:{port}"))
    return status


async def _watch(bridge: Bridge, drivers: _Drivers, live: Live, told: asyncio.Event) -> None:
    """Shows how it goes, until told to stop, or a row cannot be written."""
    config = drivers.config
    while not told.is_set():
        for log in drivers.logs:
            log.check()
        if not config.quiet:
            where = f"{config.host}:{bridge.port}"
            live.update(screen(bridge.status(), config.policy, where), refresh=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(told.wait(), REFRESH)


def _told_to_stop() -> asyncio.Event:
    """Set by the first interruption; the second one is nobody's but the system's."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        told.set()
        loop.remove_signal_handler(number)

    # Windows has no such handlers, and only a process's first thread may set them.
    with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop, number)
    return told
