"""One reply to each telemetry of one client: the driver's, the last safe one, or a stop."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from drive.udacity.commands import AT_REST, BRAKING, LastSafeCommand
from drive.udacity.faults import Faults
from drive.udacity.limits import Limits
from drive.udacity.pilot import Pilot
from drive.udacity.protocol import Command, Telemetry, write_manual, write_steer
from drive.udacity.reply_times import ReplyTimes


@dataclass(frozen=True)
class _Asked:
    telemetry: Telemetry
    at: float


class Answering:
    """Answers one client in the order in which it asks.

    While the driver works, one frame waits; a newer one takes its place, and the overtaken one is
    answered at once with the last safe command.

    Args:
        send: Sends a packet to the client.
        pilot: Who drives; it is reset before the first frame, and again after a manual stretch.
        limits: Of time.
        faults: Where they are counted.
        times: Where replies are timed.

    Attributes:
        telemetry: The latest.
        command: The latest reply to one.
    """

    def __init__(
        self,
        send: Callable[[str], Awaitable[None]],
        pilot: Pilot,
        limits: Limits,
        faults: Faults,
        times: ReplyTimes,
    ) -> None:
        self.telemetry: Telemetry | None = None
        self.command: Command | None = None
        self._send = send
        self._pilot = pilot
        self._limits = limits
        self._faults = faults
        self._times = times
        self._last = LastSafeCommand(limits.stale_after, limits.most_repeats, time.monotonic)
        self._waiting: list[_Asked] = []
        self._busy = False
        self._driving = False
        self._unseen_since: float | None = None
        self._wake = asyncio.Event()
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Answers until `stop` has brought the car to rest."""
        stopping = asyncio.create_task(self._stop.wait())
        try:
            while (asked := await self._next()) is not None:
                command = await self._decide(asked.telemetry, stopping)
                await self._reply(asked, command)
                if self._stop.is_set() and command == AT_REST:
                    return
        finally:
            stopping.cancel()

    def stop(self) -> None:
        """Brakes below 5 mph, then sends 0,0 and ends `run`."""
        self._stop.set()
        self._wake.set()

    async def take(self, telemetry: Telemetry) -> None:
        """Accepts a telemetry, to be answered by `run`."""
        if not self._driving:
            self._pilot.reset()
            self._last.forget()
            self._driving = True
        self.telemetry, self._unseen_since = telemetry, None
        self._waiting.append(_Asked(telemetry, time.monotonic()))
        self._wake.set()
        # Where nothing is being decided, the first that waits is as good as begun.
        if len(self._waiting) > (1 if self._busy else 2):
            overtaken = self._waiting.pop(-2)
            self._faults.add("stale_frame")
            await self._reply(overtaken, self._repeated(overtaken.telemetry.speed))

    async def take_manual(self) -> None:
        """Lets the person drive."""
        self._driving = False
        await self._send(write_manual())
        self._wake.set()

    async def take_unreadable(self) -> None:
        """Answers a telemetry that cannot be read, as its sender would stall."""
        before, speed = self.telemetry, self._unseen_speed()
        command = self._last.stop(speed) if self._stop.is_set() else self._repeated(speed)
        if (self._stop.is_set() or self._last.stale) and self._unseen_since is None:
            self._unseen_since = time.monotonic()
        await self._send(write_steer(command, before.decimal if before else "."))

    async def last_resort(self) -> None:
        """Sends 0,0 unasked, to a client that would not come to rest in time."""
        if self._driving and self.telemetry is not None:
            await self._send(write_steer(AT_REST, self.telemetry.decimal))

    async def _next(self) -> _Asked | None:
        """The next telemetry; None where the end has come and no car is driven."""
        self._busy = False
        while not self._waiting:
            if self._stop.is_set() and not self._driving:
                return None
            self._wake.clear()
            await self._wake.wait()
        self._busy = True
        return self._waiting.pop(0)

    async def _decide(self, telemetry: Telemetry, stopping: asyncio.Task[bool]) -> Command:
        if self._stop.is_set():
            return self._last.stop(telemetry.speed)
        drive = asyncio.create_task(self._pilot.drive(telemetry))
        try:
            await asyncio.wait(
                {drive, stopping},
                timeout=self._limits.stale_after,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            done = drive.done() or not drive.cancel()
        if self._stop.is_set():
            return self._last.stop(telemetry.speed)
        outcome = drive.result() if done else None
        if not isinstance(outcome, Command):
            return self._repeated(telemetry.speed)
        self._last.renew(outcome)
        return outcome

    def _unseen_speed(self) -> float:
        """Speed, mph, of a car that cannot be read, at most: it brakes since it was stopped unseen.

        To brake for ever by its last known speed would have it reverse in the end.
        """
        speed = self.telemetry.speed if self.telemetry else 0.0
        since = self._unseen_since
        return speed if since is None else speed - BRAKING * (time.monotonic() - since)

    def _repeated(self, speed: float) -> Command:
        command = self._last.command(speed)
        if self._last.stale:
            self._faults.add("stale_command")
        return command

    async def _reply(self, asked: _Asked, command: Command) -> None:
        await self._send(write_steer(command, asked.telemetry.decimal))
        self.command = command
        self._times.add(asked.at, time.monotonic())
