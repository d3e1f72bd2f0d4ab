"""The closed loop on the stand-in, within one process: what the bridge would do in lock-step.

Every message passes through the text that the wire would carry, JPEG included, so that a drive is
the bridge's own to the last bit, at the speed of the computer.
"""

import time
from typing import Any

import numpy as np
import pandas as pd

from drive.udacity import protocol
from drive.udacity.commands import AT_REST, safe_command
from drive.udacity.frames import FRAME_SHAPE, Frame, decode, encode
from drive.udacity.pilot import Driver
from drive.udacity.protocol import Command, Telemetry
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.supervision import Supervisor
from drive.udacity.simulator.vehicle import MPH, TICK
from evaluation.perturbations import CLEAN, Perturbation
from evaluation.udacity.conditions import Late, perturbed_command
from policies import Decision

TICKS = 3
"""Of the physics for each frame: 0.06 s, as the stand-in counts in lock-step."""
BLANK: Frame = np.zeros(FRAME_SHAPE, dtype=np.uint8)
"""What a driver is shown that says it is blind."""
PATIENCE = 2.0
"""Times the time that the laps take at the speed asked for, after which a drive ends."""


def drive_laps(
    driver: Driver,
    simulator: Simulator,
    *,
    laps: float = 1.0,
    speed: float = 20.0,
    late_ms: int = 0,
    perturbation: Perturbation | None = None,
) -> pd.DataFrame:
    """Drives some laps from a standing start; whenever the car leaves the road, it is put back.

    Args:
        driver: Who drives, as through the bridge; its ``decision``, if any, is kept too. One with
            a true attribute ``blind`` is shown black.
        simulator: Is reset.
        laps: After which the drive ends; or after twice the time that these should take.
        speed: That the driver is to keep, mph: says how long the drive should take.
        late_ms: From a frame to the moment at which its command takes effect.
        perturbation: Of frames or steering; none by default.

    Returns:
        One row a frame: the decision, and the state it led to, which a car that was put back has
        left. Metres, m/s, radians, left positive, but ``action_steer`` right positive.
    """
    supervisor, late = Supervisor(simulator), Late(late_ms)
    changed = perturbation or CLEAN.of_lap(0, "")
    end = PATIENCE * laps * simulator.track.length / (speed * MPH)
    simulator.reset()
    driver.reset()
    told, blind = AT_REST, getattr(driver, "blind", False)
    rows: list[dict[str, Any]] = []
    while simulator.state.laps < laps and simulator.state.time < end:
        before, helped = simulator.state, supervisor.interventions
        picture = BLANK if blind else simulator.frame()
        telemetry = telemetry_of(simulator, told, picture)
        frame = changed.frame(decode(telemetry.image))
        start = time.perf_counter()
        wanted = safe_command(driver.drive(frame, telemetry))
        latency_ms = 1e3 * (time.perf_counter() - start)
        late.give(as_read(perturbed_command(changed, wanted)))
        for _ in range(TICKS):
            told = late.tick()
            supervisor.step(told.steering, told.throttle, TICK)
        row = {
            "step": len(rows),
            "seconds": simulator.state.time - before.time,
            "progress_before": before.laps,
            "interventions": supervisor.interventions - helped,
            "latency_ms": latency_ms,
        }
        rows.append(row | _state(simulator) | _decision(driver, told))
    return pd.DataFrame(rows)


def telemetry_of(simulator: Simulator, told: Command, picture: Frame) -> Telemetry:
    """What arrives at the bridge.

    Args:
        simulator: As it stands.
        told: The command that holds.
        picture: What the camera sees.
    """
    sent = Telemetry(
        steering_angle=protocol.MAX_STEERING_DEGREES * told.steering,
        throttle=max(told.throttle, 0.0),
        speed=simulator.state.speed / MPH,
        image=encode(picture),
    )
    arrived = protocol.read(protocol.write_telemetry(sent))
    assert isinstance(arrived, Telemetry)
    return arrived


def as_read(command: Command) -> Command:
    """What arrives at the simulator."""
    arrived = protocol.read(protocol.write_steer(command))
    assert isinstance(arrived, Command)
    return arrived


def _state(simulator: Simulator) -> dict[str, Any]:
    state = simulator.state
    names = ("time", "x", "y", "heading", "speed", "arc", "lateral_error", "heading_error")
    return {
        **{name: getattr(state, name) for name in names},
        "progress": state.laps,
        "half_width": simulator.track.half_width,
    }


def _decision(driver: Driver, told: Command) -> dict[str, float]:
    """What was driven, and what the driver stated of it; nothing of the uncertainty if not."""
    decision = getattr(driver, "decision", None)
    stated = {"mean": np.nan, "aleatoric": 0.0, "epistemic": 0.0}
    if isinstance(decision, Decision):
        stated = {part: float(getattr(decision, part)[0, 0]) for part in stated}
    return {
        "action_steer": told.steering,
        "action_throttle": told.throttle,
        **{f"{part}_steer": value for part, value in stated.items()},
    }
