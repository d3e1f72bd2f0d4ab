"""Which command is safe: what a driver may return, the last one that held, and how to stop."""

from collections.abc import Callable
from typing import Any

import numpy as np

from drive.udacity.protocol import Command

REVERSING_SPEED = 5.0
"""mph, below which negative throttle no longer brakes but reverses."""

BRAKING = 17.9
"""mph that full braking takes off in a second: 8 m/s2, the least that was measured."""

AT_REST = Command(0.0, 0.0)


def safe_command(answer: Any) -> Command:  # noqa: ANN401 - whatever a driver returned
    """A driver's answer as a command within limits.

    Either value may be a number or an array of one, of any float type; it is cut to [-1, 1].

    Raises:
        ValueError: If it is no command, or a value is not one finite number; in one line.
    """
    try:
        values = answer.steering, answer.throttle
    except AttributeError:
        raise ValueError(f"expected a Command, got {type(answer).__name__}") from None
    steering, throttle = (
        _within(name, value) for name, value in zip(("steering", "throttle"), values, strict=True)
    )
    return Command(steering, throttle)


def _within(name: str, value: Any) -> float:  # noqa: ANN401 - whatever a driver returned
    try:
        number = float(np.asarray(value, dtype=np.float64).reshape(1)[0])
    except (TypeError, ValueError, OverflowError, RuntimeError):  # torch raises the last
        shown = " ".join(repr(value)[:40].split())
        raise ValueError(f"expected one number for {name}, got {shown}") from None
    if not np.isfinite(number):
        raise ValueError(f"expected a finite {name}, got {number}")
    return min(max(number, -1.0), 1.0)


def safe_stop(speed: float, steering: float = 0.0) -> Command:
    """The command of a stop: full brake, then nothing.

    Args:
        speed: mph. Above 5 the wheels stay where they are and the car brakes; from there on it
            rolls, as braking would reverse.
        steering: Of the wheels, [-1, 1].
    """
    return Command(steering, -1.0) if speed > REVERSING_SPEED else AT_REST


class LastSafeCommand:
    """What to answer where the driver has no answer: its last command, and a stop once that is old.

    Args:
        stale_after: Seconds for which a command may be repeated.
        most: How often it may be repeated, for a simulator that runs faster than the clock.
        clock: Seconds, of any origin.

    Attributes:
        stale: Whether the latest answer was a stop.
    """

    def __init__(self, stale_after: float, most: int, clock: Callable[[], float]) -> None:
        self._stale_after = stale_after
        self._most = most
        self._clock = clock
        self.forget()

    def forget(self) -> None:
        """Nothing is known any more: a new drive begins."""
        self._command: Command | None = None
        self._since = 0.0
        self._repeated = 0
        self.stale = False

    def renew(self, command: Command) -> None:
        """The driver has answered."""
        self._command = command
        self._since = self._clock()
        self._repeated = 0

    def command(self, speed: float) -> Command:
        """The last command, or a stop.

        Args:
            speed: mph, of the car that asks.
        """
        self._repeated += 1
        command = self._command
        self.stale = (
            command is None
            or self._repeated > self._most
            or self._clock() - self._since > self._stale_after
        )
        if command is None or self.stale:
            return safe_stop(speed, command.steering if command else 0.0)
        return command

    def stop(self, speed: float) -> Command:
        """A stop with the wheels as the last command had them.

        Args:
            speed: mph, of the car that asks.
        """
        return safe_stop(speed, self._command.steering if self._command else 0.0)
