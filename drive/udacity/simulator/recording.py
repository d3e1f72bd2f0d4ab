"""Training mode: somebody drives, and the three cameras are recorded as the simulator does."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from drive.udacity.driving_log import DrivingLog
from drive.udacity.simulator.courses import CourseName
from drive.udacity.simulator.scripted import Disturbance, ScriptedConfig, ScriptedDriver
from drive.udacity.simulator.simulator import Simulator, SimulatorError, State
from drive.udacity.simulator.supervision import Supervisor
from drive.udacity.simulator.vehicle import MPH, TICK

TICKS_PER_ROW = 3.5
"""Physics steps between two rows: 0.06 and 0.08 s in turn, the simulator's nominal 15 Hz."""


@dataclass(frozen=True)
class RecordingConfig:
    """What the scripted driver records.

    Attributes:
        track: Course.
        laps: How many.
        out: Folder of the recording; an existing one is appended to.
        driver: How it drives.
        seed: Of its disturbances.
        landscape: Seed of hills, plants and textures.
    """

    out: Path
    track: CourseName = "lake"
    laps: float = 3.0
    driver: ScriptedConfig = field(default_factory=ScriptedConfig)
    seed: int = 0
    landscape: int = 0


@dataclass(frozen=True)
class RecordingSummary:
    """What was recorded.

    Attributes:
        rows: Moments, three pictures each.
        seconds: Driven.
        interventions: How often the car was put back on the road.
        lateral_rmse: Root mean square of the lateral error, metres.
    """

    rows: int
    seconds: float
    interventions: int
    lateral_rmse: float


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
    simulator = Simulator(config.track, "training", config.landscape)
    supervisor = Supervisor(simulator)
    start, squares = datetime.now().astimezone(), []
    with DrivingLog(config.out) as log:
        for state, steering, throttle in _drive(supervisor, config):
            log.append(
                simulator.frames(),
                steering=steering,
                throttle=max(throttle, 0.0),
                brake=max(-throttle, 0.0),
                speed=max(state.speed, 0.0) / MPH,
                moment=start + timedelta(seconds=state.time),
            )
            squares.append(state.lateral_error**2)
    rmse = float(np.sqrt(np.mean(squares)))
    return RecordingSummary(log.rows, simulator.state.time, supervisor.interventions, rmse)


def _drive(supervisor: Supervisor, config: RecordingConfig) -> Iterator[tuple[State, float, float]]:
    """The states to record, with the driver's own steering and throttle there."""
    simulator = supervisor.simulator
    driver = ScriptedDriver(simulator.track, config.driver)
    disturbance = Disturbance(config.driver, np.random.default_rng(config.seed))
    ticks = row = 0
    while simulator.state.laps < config.laps:
        state = simulator.state
        steering, throttle = driver.drive(state)
        yield state, steering, throttle
        row += 1
        pause = round(row * TICKS_PER_ROW) - ticks
        for _ in range(pause):
            # The driver reacts between the rows too, as a person would.
            steering, throttle = driver.drive(simulator.state)
            supervisor.step(steering + disturbance.step(TICK), throttle, TICK)
        ticks += pause
