"""Training mode by keyboard: the arrow keys or W A S D, and R to record, as in the simulator."""

import time
from dataclasses import dataclass

import numpy as np

from drive.udacity.driving_log import DrivingLog
from drive.udacity.simulator.recording import (
    TICKS_PER_ROW,
    RecordingConfig,
    RecordingSummary,
    Session,
)
from drive.udacity.simulator.vehicle import TICK
from drive.udacity.simulator.window import Keys, Window

TURN, CENTRE = 2.0, 4.0
"""Steering gained in a second while a key is held, and lost when none is."""


@dataclass
class Wheel:
    """Steering and pedals as the keys move them.

    Attributes:
        steering: In [-1, 1], right positive.
        throttle: In [-1, 1].
    """

    steering: float = 0.0
    throttle: float = 0.0

    def follow(self, keys: Keys, seconds: float) -> None:
        """Moves on for some time while keys are held."""
        wanted = float(keys.right) - float(keys.left)
        reach = (TURN if wanted else CENTRE) * seconds
        self.steering += float(np.clip(wanted - self.steering, -reach, reach))
        self.throttle = float(keys.gas) - float(keys.brake)


class KeyDrive:
    """A drive by keys, step by step.

    Attributes:
        session: The drive.
        wheel: As it stands.
        recording: Whether rows are written.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.wheel = Wheel()
        self.recording = False
        self._ticks_to_row = 0.0

    def tick(self, keys: Keys) -> None:
        """One step of the physics, and a row before it when one is due."""
        self.wheel.follow(keys, TICK)
        if self.recording and self._ticks_to_row <= 0.0:
            self.session.write(self.wheel.steering, self.wheel.throttle)
            self._ticks_to_row += TICKS_PER_ROW
        self._ticks_to_row -= 1.0
        if not self.recording:
            self._ticks_to_row = 0.0
        self.session.step(self.wheel.steering, self.wheel.throttle)


MOST_TICKS = 10
"""Between two pictures: beyond that a slow machine gives the time up as lost and drives in slow
motion, for to catch up it would fall ever further behind."""


def drive_by_keys(config: RecordingConfig) -> RecordingSummary:
    """Opens a window to drive in, and records while R is on, until it is closed or laps are over.

    Raises:
        SimulatorError: There is no display.
        drive.udacity.driving_log.DrivingLogError: The folder cannot be written.
    """
    with (
        Window(f"{config.track}: arrows drive, R records") as window,
        DrivingLog(config.out) as log,
    ):
        session = Session(config, log)
        drive = KeyDrive(session)
        start, ticks = time.monotonic(), 0
        while not window.closed and not 0 < config.laps <= session.simulator.state.laps:
            keys, switches = window.read()
            drive.recording ^= switches % 2 == 1
            late = int((time.monotonic() - start) / TICK) - ticks
            start += max(late - MOST_TICKS, 0) * TICK
            for _ in range(min(late, MOST_TICKS)):
                drive.tick(keys)
                ticks += 1
            window.show(session.simulator.frame(), recording=drive.recording)
        return session.summary()
