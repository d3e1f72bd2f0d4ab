"""Speaks the simulator's side of the protocol, on either of two clocks."""

import asyncio
import time
from contextlib import suppress

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from drive.udacity.protocol import (
    Close,
    Command,
    Connect,
    Manual,
    Open,
    Ping,
    ProtocolError,
    Telemetry,
    read,
    write_manual_telemetry,
    write_ping,
    write_pong,
    write_telemetry,
)
from drive.udacity.simulator.cabin import Cabin, Summary
from drive.udacity.simulator.client_config import ClientConfig
from drive.udacity.simulator.side_channel import SideChannel
from drive.udacity.simulator.vehicle import TICK

FRAGMENT = 1016
"""Bytes of a websocket frame, above which the simulator begins another."""
PING_INTERVAL = 25.0
FAREWELL = 0.3
"""Seconds that a controller has to say goodbye."""
RETRY = 0.1
"""Seconds between two tries to connect."""


class Client:
    """Drives a cabin by the replies of a controller.

    It tries to connect until somebody listens, and again after the line has dropped. A reply that
    cannot be read is not answered, which stalls the drive, as it does the simulator's.
    """

    def __init__(
        self, cabin: Cabin, config: ClientConfig, side_channel: SideChannel | None = None
    ) -> None:
        config.check()
        self._cabin = cabin
        self._config = config
        self._side = side_channel or SideChannel(None)
        self._lockstep = config.clock == "lockstep"
        self._done = asyncio.Event()

    async def run(self) -> Summary:
        """Drives until laps or seconds are over; for ever if neither is given."""
        tasks = [asyncio.create_task(self._stay_connected())]
        if not self._lockstep:
            tasks.append(asyncio.create_task(self._keep_time()))
        done = asyncio.create_task(self._done.wait())
        try:
            await asyncio.wait([*tasks, done], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*tasks, done):
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            self._side.end(self._cabin)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
        return self._cabin.summary()

    async def _keep_time(self) -> None:
        """Lets the physics go on as the clock does, whether or not anybody answers."""
        start, ticks = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - start) / TICK)
            self._advance(due - ticks)
            ticks = due
            await asyncio.sleep(max(0.0, start + (ticks + 1) * TICK - time.monotonic()))

    async def _stay_connected(self) -> None:
        config = self._config
        host = f"[{config.host}]" if ":" in config.host else config.host
        where = f"ws://{host}:{config.port}/socket.io/?EIO=4&transport=websocket"
        while True:
            # Without origin and compression, as the simulator; its pings are in the protocol.
            line = connect(
                where, compression=None, ping_interval=None, max_size=None, proxy=None,
                close_timeout=FAREWELL,
            )  # fmt: skip
            with suppress(OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
                async with line as socket:
                    self._cabin.connections += 1
                    await self._talk(socket)
            await asyncio.sleep(RETRY)

    async def _talk(self, socket: ClientConnection) -> None:
        pings = asyncio.create_task(_ping(socket))
        try:
            async for message in socket:
                if isinstance(message, str) and await self._answer(socket, message):
                    return
        finally:
            pings.cancel()
            await socket.close()

    async def _answer(self, socket: ClientConnection, text: str) -> bool:
        """Handles one packet; whether it says farewell."""
        try:
            message = read(text, self._config.decimal)
        except ProtocolError:
            self._cabin.unread += 1
            return False
        match message:
            case Ping(data):
                await socket.send(write_pong(data))
            case Open():
                await self._tell(socket)
            case Connect():
                # The simulator raises "open" for either packet, and tells twice unasked.
                if not self._lockstep:
                    await self._tell(socket)
            case Command() | Manual():
                await self._go_on(message)
                await self._tell(socket)
            case _:
                pass
        return isinstance(message, Close)

    async def _go_on(self, reply: Command | Manual) -> None:
        if isinstance(reply, Command):
            self._cabin.take(reply)
        if self._lockstep:
            self._advance(round(self._config.period / TICK))
        self._side.tell(self._cabin)

    def _advance(self, ticks: int) -> None:
        if self._done.is_set():
            return
        self._cabin.advance(ticks)
        state, config = self._cabin.simulator.state, self._config
        if (config.laps and state.laps >= config.laps) or (
            config.seconds and state.time >= config.seconds
        ):
            self._done.set()

    async def _tell(self, socket: ClientConnection) -> None:
        if self._done.is_set():
            return
        telemetry = self._cabin.telemetry()
        if isinstance(telemetry, Telemetry):
            text = write_telemetry(telemetry)
        else:
            text = write_manual_telemetry()
        await socket.send(text if len(text) <= FRAGMENT else _fragments(text))


def _fragments(text: str) -> list[str]:
    return [text[start : start + FRAGMENT] for start in range(0, len(text), FRAGMENT)]


async def _ping(socket: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while True:
            await socket.send(write_ping())
            await asyncio.sleep(PING_INTERVAL)
