"""Drives the Udacity simulator, or the stand-in for it, whichever connects, until told to stop."""

import asyncio
import contextlib
import signal
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.live import Live

import policies
from drive.udacity.bridge import (
    PORT,
    Bridge,
    BridgeConfig,
    Driver,
    Limits,
    MakeDriver,
    Status,
    first_at_once,
)
from drive.udacity.driving_log import DrivingLog
from drive.udacity.recorded import RecordedDriver
from evaluation.errors import EvaluationError
from evaluation.udacity.driver import PolicyDriver
from evaluation.udacity.screen import screen

TOP_SPEED = 30.0
"""mph."""

REFRESH = 0.25
"""Seconds between two looks at the screen."""


@dataclass(frozen=True)
class LiveConfig:
    """Who drives the simulator that connects.

    Attributes:
        policy: ``nsac-udacity`` (bundled), a checkpoint file, or ``package.module:factory``; it
            must read camera frames.
        world: The Udacity simulator.
        speed: To be held, mph; the car's top speed is 30.
        record: Folder to which every frame and command is written, in the simulator's own format.
            A second simulator at the same time gets a folder of its own in it.
        port: The simulator connects to 4567.
        host: Address to listen on.
        public: Allow an address that other machines reach.
        stale_after: Seconds for the policy to decide, and for its last command to be repeated where
            it cannot; beyond that the car is stopped.
        seconds: How long to drive; 0 for until it is interrupted.
        seed: Of everything random in the policy.
        quiet: Show nothing while driving.
    """

    policy: str
    world: Literal["udacity"] = "udacity"
    speed: float = 20.0
    record: Path | None = None
    port: int = PORT
    host: str = "127.0.0.1"
    public: bool = False
    stale_after: float = Limits.stale_after
    seconds: float = 0.0
    seed: int = 0
    quiet: bool = False

    @property
    def bridge(self) -> BridgeConfig:
        """Where to listen, and how long to wait."""
        limits = Limits(stale_after=self.stale_after)
        return BridgeConfig(self.port, self.host, self.public, limits)

    def check(self) -> None:
        """Refuses what cannot be.

        Raises:
            EvaluationError: A number is out of its range.
            drive.udacity.bridge.BridgeError: The port is none, or the address public.
        """
        if not 0 < self.speed <= TOP_SPEED:
            raise EvaluationError(f"speed is {self.speed:g} mph, expected up to {TOP_SPEED:g}")
        if not self.stale_after > 0:
            raise EvaluationError(f"stale_after is {self.stale_after:g} s, expected more than 0")
        if not self.seconds >= 0:
            raise EvaluationError(f"seconds is {self.seconds:g}, expected 0 or more")
        if self.seed < 0:
            raise EvaluationError(f"seed is {self.seed}, expected 0 or more")
        self.bridge.check()


@dataclass
class _Drivers:
    """Makes a driver for each simulator."""

    config: LiveConfig
    logs: ExitStack
    _made: int = 0

    def make(self) -> Driver:
        config = self.config
        driver = PolicyDriver(policies.load(config.policy), config.speed, config.seed)
        self._made += 1
        if config.record is None:
            return driver
        folder = config.record if self._made == 1 else config.record / f"simulator-{self._made}"
        return RecordedDriver(driver, self.logs.enter_context(DrivingLog(folder)))


def drive_live(config: LiveConfig, console: Console) -> Status:
    """Drives whatever connects, and brings it to rest at the end.

    Args:
        config: Who drives, and where.
        console: Where rate, latency and faults are shown.

    Returns:
        How it went.

    Raises:
        EvaluationError, PolicyError, BridgeError: In one line, before anything is driven.
        drive.udacity.driving_log.DrivingLogError: The folder cannot be written.
        OSError: The port is taken.
    """
    config.check()
    with ExitStack() as logs:
        return asyncio.run(_serve(first_at_once(_Drivers(config, logs).make), config, console))


async def _serve(make_driver: MakeDriver, config: LiveConfig, console: Console) -> Status:
    async with Bridge(make_driver, config.bridge) as bridge:
        port, told = bridge.port, _told_to_stop()
        with (
            Live(console=console, auto_refresh=False, transient=True) as live,
            contextlib.suppress(TimeoutError),
        ):
            await asyncio.wait_for(_watch(bridge, config, live, told), config.seconds or None)
    status = bridge.status()
    console.print(screen(status, config.policy, f"{config.host}:{port}"))
    return status


async def _watch(bridge: Bridge, config: LiveConfig, live: Live, told: asyncio.Event) -> None:
    """Shows how it goes, until told to stop."""
    while not told.is_set():
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
