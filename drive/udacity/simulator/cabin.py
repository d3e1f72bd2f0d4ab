"""The car with whoever drives it: what it tells, which command holds, how the drive went."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from drive.udacity.frames import encode
from drive.udacity.numerals import Decimal
from drive.udacity.protocol import (
    MAX_STEERING_DEGREES,
    Command,
    ManualTelemetry,
    Telemetry,
)
from drive.udacity.simulator.scripted import ScriptedDriver
from drive.udacity.simulator.simulator import Simulator
from drive.udacity.simulator.supervision import Supervisor
from drive.udacity.simulator.vehicle import MPH, TICK


@dataclass(frozen=True)
class Summary:
    """How a drive went.

    Attributes:
        laps: Driven.
        seconds: Of the simulator's clock.
        interventions: How often the car was put back on the road.
        autonomy: Share of the time that nobody had to help.
        lateral_rmse: Root mean square of the lateral error over the steps of the physics, metres.
        lateral_max: Largest lateral error, metres.
        telemetries: Sent.
        unread: Replies that could not be read, and stalled the drive.
        connections: How often the controller was reached.
    """

    laps: float
    seconds: float
    interventions: int
    autonomy: float
    lateral_rmse: float
    lateral_max: float
    telemetries: int
    unread: int
    connections: int


class Cabin:
    """The simulator's side of a drive, without the line to the controller.

    Args:
        simulator: What is driven.
        driver: Drives in the controller's place, who is told all the same; None if nobody does.
        manual: From when to when, in seconds, a person holds the keys: the scripted driver drives,
            and the controller is told nothing.
        decimal: Decimal separator of the computer's locale.

    Attributes:
        simulator: What is driven.
        command: The one that holds.
        telemetries: How many were made.
        unread: How many replies were counted as unreadable.
        connections: How many were counted.
    """

    def __init__(
        self,
        simulator: Simulator,
        driver: ScriptedDriver | None = None,
        manual: tuple[float, float] = (0.0, 0.0),
        decimal: Decimal = ".",
    ) -> None:
        self.simulator = simulator
        self.command = Command(0.0, 0.0)
        self.telemetries = self.unread = self.connections = 0
        self._supervisor = Supervisor(simulator)
        self._driver = driver
        self._hands = ScriptedDriver(simulator.track)
        self._manual = manual
        self._decimal = decimal
        self._squares = self._most = 0.0
        self._ticks = 0

    @property
    def manual(self) -> bool:
        """Whether a person holds the keys."""
        return self._manual[0] <= self.simulator.state.time < self._manual[1]

    def telemetry(self) -> Telemetry | ManualTelemetry:
        """What the controller is told now."""
        self.telemetries += 1
        if self.manual:
            return ManualTelemetry()
        return Telemetry(
            steering_angle=MAX_STEERING_DEGREES * self.command.steering,
            throttle=max(self.command.throttle, 0.0),
            speed=self.simulator.state.speed / MPH,
            image=encode(self.simulator.frame()),
            decimal=self._decimal,
        )

    def take(self, command: Command) -> None:
        """Lets the controller's command, cut to [-1, 1], hold unless somebody is at the wheel."""
        if self._driver is None and not self.manual:
            steering, throttle = (
                min(max(value, -1.0), 1.0) for value in (command.steering, command.throttle)
            )
            self.command = Command(steering, throttle)

    def advance(self, ticks: int) -> None:
        """Drives on for some steps of the physics."""
        for _ in range(ticks):
            driver = self._hands if self.manual else self._driver
            if driver is not None:
                self.command = Command(*driver.drive(self.simulator.state))
            error = self._supervisor.step(
                self.command.steering, self.command.throttle, TICK
            ).lateral_error
            self._squares += error * error
            self._most = max(self._most, abs(error))
            self._ticks += 1

    def moment(self) -> dict[str, Any]:
        """What the side channel tells of now: the state, the command and the score, by name."""
        return {
            **asdict(self.simulator.state),
            "steering": self.command.steering,
            "throttle": self.command.throttle,
            "manual": self.manual,
            "interventions": self._supervisor.interventions,
            "autonomy": self._supervisor.autonomy,
        }

    def summary(self) -> Summary:
        """How the drive went so far."""
        state = self.simulator.state
        return Summary(
            laps=state.laps,
            seconds=state.time,
            interventions=self._supervisor.interventions,
            autonomy=self._supervisor.autonomy,
            lateral_rmse=math.sqrt(self._squares / max(self._ticks, 1)),
            lateral_max=self._most,
            telemetries=self.telemetries,
            unread=self.unread,
            connections=self.connections,
        )
