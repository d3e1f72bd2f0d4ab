"""The server that the Udacity simulator, or the stand-in for it, connects to."""

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from socket import gaierror
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.protocol import State

from drive.udacity.bridge_config import PORT, BridgeConfig, BridgeError
from drive.udacity.faults import Faults
from drive.udacity.limits import Limits
from drive.udacity.pilot import Driver, MakeDriver, Pilot, first_at_once
from drive.udacity.protocol import Command, Telemetry
from drive.udacity.reply_times import ReplySpeed, ReplyTimes
from drive.udacity.session import Session

__all__ = [
    "PORT",
    "Bridge",
    "BridgeConfig",
    "BridgeError",
    "Driver",
    "Limits",
    "MakeDriver",
    "Status",
    "first_at_once",
    "in_background",
]


MAX_MESSAGE = 4 * 2**20
MAX_CLIENTS = 32
_PATH = "/socket.io/"
_websocket_log = logging.getLogger("drive.udacity.websocket")
_websocket_log.setLevel(logging.CRITICAL)  # what it would say is counted here, by cause


@dataclass(frozen=True)
class Status:
    """A bridge at one moment.

    Attributes:
        clients: How many are connected.
        speed: Of its replies.
        telemetry: The latest of the client that has been connected for longest.
        command: The latest reply to it.
        faults: How often each of `drive.udacity.faults.CAUSES` arose.
    """

    clients: int
    speed: ReplySpeed
    telemetry: Telemetry | None
    command: Command | None
    faults: dict[str, int]


class Bridge:
    """Serves simulators, each with a driver of its own; an asynchronous context manager.

    Leaving it brings every car to rest and hangs up. A driver whose client has left drives the next
    one, after a reset.

    Args:
        make_driver: Makes a driver; called in the thread in which that will drive.
        config: Where to listen.

    Attributes:
        faults: What went wrong so far.
        times: When replies were sent.

    Raises:
        BridgeError: If the configuration cannot be.
    """

    def __init__(self, make_driver: MakeDriver, config: BridgeConfig | None = None) -> None:
        self.config = config or BridgeConfig()
        self.config.check()
        self.faults = Faults()
        self.times = ReplyTimes()
        self._make_driver = make_driver
        self._pilots: list[Pilot] = []
        self._opening: set[ServerConnection] = set()
        self._sessions: list[Session] = []
        self._server: Server | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        if self._server is None:
            return self.config.port
        return int(next(iter(self._server.sockets)).getsockname()[1])

    def status(self) -> Status:
        """How it goes; to be asked in the thread of the loop."""
        sessions = list(self._sessions)
        first = sessions[0].answering if sessions else None
        return Status(
            len(sessions),
            self.times.speed(time.monotonic()),
            first.telemetry if first else None,
            first.command if first else None,
            dict(self.faults.counts),
        )

    async def __aenter__(self) -> Self:
        """Opens the port.

        Raises:
            OSError: If it is taken, or there is no such host.
        """
        limits = self.config.limits
        try:
            self._server = await serve(
                self._serve,
                self.config.host,
                self.config.port,
                compression=None,
                ping_interval=None,
                open_timeout=limits.handshake,
                close_timeout=1.0,
                max_size=MAX_MESSAGE,
                process_request=_refuse,
                create_connection=self._connection,  # type: ignore[arg-type] # a factory will do
                logger=_websocket_log,
            )
        except gaierror as fault:
            raise OSError(fault.errno, fault.strerror, self.config.host) from None
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Takes no more clients, brings every car to rest, hangs up and ends the drivers.

        May be called again, and while it is under way: every caller waits for the same end.
        """
        if self._server is None:
            return
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(self._server))
        await asyncio.shield(self._closing)

    async def _close(self, server: Server) -> None:
        server.close(close_connections=False)
        for session in self._sessions:
            session.answering.stop()
        try:
            async with asyncio.timeout(self.config.limits.stop):
                while self._sessions:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            await asyncio.gather(*(session.end() for session in list(self._sessions)))
        for connection in list(self._opening):
            connection.transport.abort()
        await server.wait_closed()
        for pilot in self._pilots:
            pilot.close()
        self._pilots.clear()

    async def _serve(self, socket: ServerConnection) -> None:
        if len(self._sessions) >= MAX_CLIENTS:
            self.faults.add("busy", f"{MAX_CLIENTS} are connected")
            await socket.close(1013)
            return
        pilot = self._take_pilot()
        sid = uuid.uuid4().hex[:20]
        session = Session(socket, sid, pilot, self.config.limits, self.faults, self.times)
        self._sessions.append(session)
        try:
            await session.run()
        except Exception as fault:  # the log of websockets, where it would go, is silent
            self.faults.add("bridge", f"{type(fault).__name__}: {fault}")
        finally:
            self._sessions.remove(session)
            self._pilots.append(pilot)

    def _take_pilot(self) -> Pilot:
        """One that is free, or a new one: a driver that hangs is left to itself."""
        free = [pilot for pilot in self._pilots if not pilot.busy]
        if not free:
            return Pilot(self._make_driver, self.faults)
        self._pilots.remove(free[0])
        return free[0]

    def _connection(self, *arguments: Any, **options: Any) -> ServerConnection:  # noqa: ANN401
        return _CountedConnection(self.faults, self._opening, *arguments, **options)


class _CountedConnection(ServerConnection):
    """A connection that is known while it opens, and counted where it never does."""

    def __init__(
        self,
        faults: Faults,
        opening: set[ServerConnection],
        *arguments: Any,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*arguments, **options)
        self._faults = faults
        self._opening = opening

    async def handshake(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        self._opening.add(self)
        try:
            await super().handshake(*arguments, **options)
        finally:
            self._opening.discard(self)
            if self.protocol.state is not State.OPEN:
                self._faults.add("handshake", str(self.protocol.handshake_exc or ""))


def _refuse(socket: ServerConnection, request: Request) -> Response | None:
    """An answer to what is no simulator: another path, or a web page from elsewhere."""
    if urlsplit(request.path).path != _PATH:
        return socket.respond(404, f"expected {_PATH}\n")
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("Host"):
        return socket.respond(403, "web pages of other hosts are not served\n")
    return None


@contextmanager
def in_background(make_driver: MakeDriver, config: BridgeConfig | None = None) -> Iterator[Bridge]:
    """A bridge in a thread, for programs that know no event loop; closed at the end.

    Args:
        make_driver: Makes a driver.
        config: Where to listen.

    Raises:
        BridgeError: If the configuration cannot be.
        OSError: If the port is taken.
    """
    bridge = Bridge(make_driver, config)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="bridge", daemon=True)
    thread.start()

    def run(work: Callable[[], Any]) -> None:
        asyncio.run_coroutine_threadsafe(work(), loop).result()

    try:
        run(bridge.__aenter__)
        yield bridge
    finally:
        run(bridge.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
