"""One simulator on the line, from its connection to its end."""

import asyncio
from collections.abc import Iterable
from typing import assert_never

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from drive.udacity.answering import Answering
from drive.udacity.faults import Faults
from drive.udacity.limits import Limits
from drive.udacity.pilot import Pilot
from drive.udacity.protocol import (
    Close,
    Command,
    Connect,
    Ignored,
    Manual,
    ManualTelemetry,
    Message,
    Open,
    Ping,
    Pong,
    ProtocolError,
    Telemetry,
    TelemetryError,
    read,
    write_connect,
    write_open,
    write_ping,
    write_pong,
)
from drive.udacity.reply_times import ReplyTimes

_CLOSED_BY_US = {1002: "websocket", 1007: "utf8", 1009: "too_large"}


class _LostError(Exception):
    """The client is given up; its one argument is the cause."""


class Session:
    """Talks with one client.

    Args:
        socket: The client.
        sid: What it is called.
        pilot: Who drives its car.
        limits: Of time.
        faults: Where they are counted.
        times: Where replies are timed.

    Attributes:
        answering: What replies to its telemetry.
    """

    def __init__(
        self,
        socket: ServerConnection,
        sid: str,
        pilot: Pilot,
        limits: Limits,
        faults: Faults,
        times: ReplyTimes,
    ) -> None:
        self.answering = Answering(self._send, pilot, limits, faults, times)
        self._socket = socket
        self._sid = sid
        self._limits = limits
        self._faults = faults
        self._wants_pings = asyncio.Event()

    async def run(self) -> None:
        """Serves the client until it leaves, is lost or silent, or has been brought to rest."""
        works = (self._listen, self._ping, self.answering.run)
        tasks = []
        try:
            await self._send(write_open(Open(self._sid, self._limits.ping_interval)))
            await self._send(write_connect())
            tasks = [asyncio.create_task(work()) for work in works]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        except (ConnectionClosed, _LostError) as fault:
            self._count_end([fault])
        finally:
            for task in tasks:
                task.cancel()
            self._count_end(await asyncio.gather(*tasks, return_exceptions=True))

    async def end(self) -> None:
        """Sends a car that would not come to rest in time 0,0, and hangs up."""
        try:
            await self.answering.last_resort()
        except (ConnectionClosed, _LostError):
            return
        await self._socket.close(1001)

    async def _listen(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._limits.silence):
                    message = await self._socket.recv()
            except TimeoutError:
                raise _LostError("silent") from None
            if isinstance(message, bytes):
                self._faults.add("binary", f"{len(message)} bytes")
            elif await self._take(message):
                return

    async def _take(self, text: str) -> bool:
        """Handles one packet; whether it says farewell."""
        try:
            message = read(text)
        except TelemetryError as fault:
            self._faults.add(fault.cause, str(fault))
            await self.answering.take_unreadable()
        except ProtocolError as fault:
            self._faults.add(fault.cause, str(fault))
        else:
            await self._handle(message)
            return isinstance(message, Close)
        return False

    async def _handle(self, message: Message) -> None:
        match message:
            case Telemetry():
                await self.answering.take(message)
            case ManualTelemetry():
                await self.answering.take_manual()
            case Ping(data):
                await self._send(write_pong(data))
            case Connect():
                self._wants_pings.set()
                await self._send(write_connect(self._sid))
            case Open() | Command() | Manual():
                self._faults.add("event", f"a server's packet: {message}")
            case Pong() | Ignored() | Close():
                pass
            case _:
                assert_never(message)

    async def _ping(self) -> None:
        """Pings a client that has entered the namespace itself, as newer ones do."""
        await self._wants_pings.wait()
        while True:
            await asyncio.sleep(self._limits.ping_interval)
            await self._send(write_ping())

    async def _send(self, text: str) -> None:
        try:
            async with asyncio.timeout(self._limits.unread):
                await self._socket.send(text)
        except TimeoutError:
            raise _LostError("unread") from None

    def _count_end(self, outcomes: Iterable[BaseException | None]) -> None:
        """Counts why the session ended, once; a bug is raised."""
        for outcome in outcomes:
            if isinstance(outcome, _LostError):
                self._faults.add(str(outcome))
                return
            if isinstance(outcome, ConnectionClosed):
                self._count_closed(outcome)
                return
            if isinstance(outcome, Exception):
                raise outcome

    def _count_closed(self, fault: ConnectionClosed) -> None:
        if fault.sent is None and fault.rcvd is None:
            self._faults.add("dropped")
        elif fault.sent is not None and not fault.rcvd_then_sent:
            cause = _CLOSED_BY_US.get(fault.sent.code)
            if cause is not None:
                self._faults.add(cause, fault.sent.reason)
