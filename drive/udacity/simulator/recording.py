"""Training mode: somebody drives, and the three cameras are recorded as the simulator does."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from drive.udacity.driving_log import DrivingLog
from drive.udacity.simulator.course_names import CourseName
from drive.udacity.simulator.errors import SimulatorError
from drive.udacity.simulator.scripted import Disturbance, ScriptedDriver
from drive.udacity.simulator.scripted_config import ScriptedConfig
from drive.udacity.simulator.simulator import Simulator
from drive.udacity.simulator.supervision import Supervisor
from drive.udacity.simulator.vehicle import MPH, TICK

TICKS_PER_ROW = 3.5
"""Physics steps between two rows: 0.06 and 0.08 s in turn, the simulator's nominal 15 Hz."""


@dataclass(frozen=True)
class RecordingConfig:
    """What is recorded.

    Attributes:
        out: Folder of the recording; an existing one is appended to.
        track: Course.
        laps: After which to end; 0 for never.
        driver: How the scripted driver drives.
        seed: Of its disturbances.
        landscape: Seed of hills, plants and textures.
        start: Arc length at which the drive starts, metres: what is rare on a lap can be driven
            several times.
    """

    out: Path
    track: CourseName = "lake"
    laps: float = 3.0
    driver: ScriptedConfig = field(default_factory=ScriptedConfig)
    seed: int = 0
    landscape: int = 0
    start: float = 0.0


@dataclass(frozen=True)
class RecordingSummary:
    """What was recorded.

    Attributes:
        rows: Moments, three pictures each.
        seconds: Driven.
        interventions: How often the car was put back on the road.
        lateral_rmse: Root mean square of the lateral error in the rows, metres; nan without any.
    """

    rows: int
    seconds: float
    interventions: int
    lateral_rmse: float


class Session:
    """A drive in training mode, and what is written of it.

    Attributes:
        simulator: What is driven.
    """

    def __init__(self, config: RecordingConfig, log: DrivingLog) -> None:
        self.simulator = Simulator(config.track, "training", config.landscape)
        self.simulator.reset(arc=config.start)
        self._supervisor = Supervisor(self.simulator)
        self._log = log
        self._start = datetime.now().astimezone()
        self._squares = 0.0

    def step(self, steering: float, throttle: float) -> None:
        """Drives one step of the physics; whoever leaves the road is put back."""
        self._supervisor.step(steering, throttle, TICK)

    def write(self, steering: float, throttle: float) -> None:
        """Writes one row: what the cameras see, and how it is driven."""
        state = self.simulator.state
        self._log.append(
            self.simulator.frames(),
            steering=steering,
            throttle=max(throttle, 0.0),
            brake=max(-throttle, 0.0),
            speed=max(state.speed, 0.0) / MPH,
            moment=self._start + timedelta(seconds=state.time),
        )
        self._squares += state.lateral_error**2

    def summary(self) -> RecordingSummary:
        """What was written so far."""
        rows = self._log.rows
        rmse = math.sqrt(self._squares / rows) if rows else math.nan
        seconds = self.simulator.state.time
        return RecordingSummary(rows, seconds, self._supervisor.interventions, rmse)


def record(config: RecordingConfig) -> RecordingSummary:
    """Records laps of the scripted driver, faster than real time.

    The steering written is the driver's own, without the disturbance that was added to it: a
    recording of a disturbed drive shows how to come back and not how to leave.

    Raises:
        SimulatorError: A setting that cannot be.
        drive.udacity.driving_log.DrivingLogError: The folder cannot be written.
    """
    config.driver.check()
    if not config.laps > 0:
        raise SimulatorError(f"laps must be positive, not {config.laps}")
    with DrivingLog(config.out) as log:
        session = Session(config, log)
        for steering, throttle in _drive(session, config):
            session.write(steering, throttle)
        return session.summary()


def _drive(session: Session, config: RecordingConfig) -> Iterator[tuple[float, float]]:
    """Drives, and stops at the moments to record with the driver's own steering and throttle."""
    simulator = session.simulator
    driver = ScriptedDriver(simulator.track, config.driver)
    disturbance = Disturbance(config.driver, np.random.default_rng(config.seed))
    ticks = row = 0
    while simulator.state.laps < config.laps:
        yield driver.drive(simulator.state)
        row += 1
        pause = round(row * TICKS_PER_ROW) - ticks
        for _ in range(pause):
            # The driver reacts between the rows too, as a person would.
            steering, throttle = driver.drive(simulator.state)
            session.step(steering + disturbance.step(TICK), throttle)
        ticks += pause
