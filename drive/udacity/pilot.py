"""A driver in a thread of its own, so that however slow it is, the sockets are served."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Protocol

from drive.udacity.commands import safe_command
from drive.udacity.faults import Faults
from drive.udacity.frame_shape import Frame
from drive.udacity.frames import FrameError, decode
from drive.udacity.protocol import Command, Telemetry
from maps.files.one_line_error import in_one_line, with_kind


class Driver(Protocol):
    """Drives one car; always called from the same thread."""

    def reset(self) -> None:
        """Forgets everything: a new drive begins."""

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:
        """What to do now.

        Args:
            frame: The camera's picture, RGB uint8 ``(160, 320, 3)``.
            telemetry: Everything else that is known, and the picture's JPEG.
        """


MakeDriver = Callable[[], Driver]


def first_at_once(make_driver: MakeDriver) -> MakeDriver:
    """The same, but the first driver is made now, so that a fault shows before anybody connects."""
    waiting = [make_driver()]
    return lambda: waiting.pop() if waiting else make_driver()


@dataclass(frozen=True)
class Failure:
    """Why there is no command; `cause` is one of `drive.udacity.faults.CAUSES`."""

    cause: str
    detail: str


@dataclass(frozen=True)
class _Order:
    telemetry: Telemetry
    reset: bool
    answer: asyncio.Future[Command | Failure]


class Pilot:
    """Runs a driver, made when it is first needed, in its own thread, one frame at a time.

    Args:
        make_driver: Makes the driver; called in the thread.
        faults: Where failures are counted, also those that come too late for anybody to wait.
    """

    def __init__(self, make_driver: MakeDriver, faults: Faults) -> None:
        self._make_driver = make_driver
        self._faults = faults
        self._driver: Driver | None = None
        self._reset = True
        self._unready = False
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._answer: asyncio.Future[Command | Failure] | None = None

    @property
    def busy(self) -> bool:
        """Whether the driver still works on a frame."""
        return self._answer is not None and not self._answer.done()

    def reset(self) -> None:
        """Has the driver forget everything before its next frame."""
        self._reset = True

    async def drive(self, telemetry: Telemetry) -> Command | Failure:
        """The driver's command, once it is free and has decided; may be cancelled at any time."""
        while self._answer is not None and not self._answer.done():
            await asyncio.wait({self._answer})
        self._answer = asyncio.get_running_loop().create_future()
        self._orders.put(_Order(telemetry, self._reset, self._answer))
        self._reset = False
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="driver", daemon=True)
            self._thread.start()
        return await asyncio.shield(self._answer)

    def close(self) -> None:
        """Ends the thread once its driver is free."""
        self._orders.put(None)

    def _work(self) -> None:
        while (order := self._orders.get()) is not None:
            outcome = self._attempt(order)
            try:
                order.answer.get_loop().call_soon_threadsafe(self._finish, order.answer, outcome)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def _finish(
        self, answer: asyncio.Future[Command | Failure], outcome: Command | Failure
    ) -> None:
        if isinstance(outcome, Failure):
            self._faults.add(outcome.cause, outcome.detail)
        if not answer.done():
            answer.set_result(outcome)

    def _attempt(self, order: _Order) -> Command | Failure:
        try:
            driver = self._ready(order.reset)
            frame = decode(order.telemetry.image)
            answer: Any = driver.drive(frame, order.telemetry)
        except FrameError as fault:
            return Failure("image", str(fault))
        except (Exception, SystemExit) as fault:  # a user's driver may raise anything
            return Failure("driver_error", with_kind(fault))
        try:
            return safe_command(answer)
        except Exception as fault:  # so may what it returned, when it is looked at
            return Failure("driver_output", in_one_line(fault))

    def _ready(self, reset: bool) -> Driver:
        if self._driver is None:
            self._driver = self._make_driver()
        self._unready |= reset
        if self._unready:
            self._driver.reset()
            self._unready = False
        return self._driver
