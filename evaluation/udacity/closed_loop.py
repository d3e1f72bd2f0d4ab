"""The closed loop on the stand-in, within one process: what the bridge would do in lock-step.

Every message passes through the text that the wire would carry, JPEG included, so that a drive is
the bridge's own to the last bit, at the speed of the computer.
"""

import time
from typing import Any

import numpy as np
import pandas as pd

from drive.udacity.commands import safe_command
from drive.udacity.frames import decode
from drive.udacity.pilot import Driver
from drive.udacity.protocol import Command, Telemetry, read, write_steer, write_telemetry
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.cabin import Cabin
from drive.udacity.simulator.vehicle import MPH
from evaluation.perturbations import CLEAN, Perturbation
from evaluation.udacity.conditions import Late, perturbed_command
from policies import Decision

TICKS = 3
"""Of the physics for each frame: 0.06 s, as the stand-in counts in lock-step."""
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
        driver: Who drives, as through the bridge; its ``decision``, if any, is kept too.
        simulator: Is reset.
        laps: After which the drive ends; or after twice the time that these should take.
        speed: That the driver is to keep, mph: says how long the drive should take.
        late_ms: From a frame to the moment at which its command takes effect.
        perturbation: Of frames or steering; none by default.

    Returns:
        One row a frame: the decision, and the state it led to, which a car that was put back has
        left. Metres, m/s, radians, left positive, but ``action_steer`` right positive.
    """
    changed = perturbation or CLEAN.of_lap(0, "")
    cabin, late = Cabin(simulator), Late(late_ms)
    end = PATIENCE * laps * simulator.track.length / (speed * MPH)
    simulator.reset()
    driver.reset()
    rows: list[dict[str, Any]] = []
    while simulator.state.laps < laps and simulator.state.time < end:
        before, helped = simulator.state, cabin.summary().interventions
        telemetry = _telemetry(cabin)
        frame = changed.frame(decode(telemetry.image))
        start = time.perf_counter()
        wanted = safe_command(driver.drive(frame, telemetry))
        latency_ms = 1e3 * (time.perf_counter() - start)
        late.give(_as_read(perturbed_command(changed, wanted)))
        for _ in range(TICKS):
            cabin.take(late.tick())
            cabin.advance(1)
        row = {
            "step": len(rows),
            "seconds": simulator.state.time - before.time,
            "progress_before": before.laps,
            "interventions": cabin.summary().interventions - helped,
            "latency_ms": latency_ms,
        }
        rows.append(row | _state(simulator) | _decision(driver, cabin.command))
    return pd.DataFrame(rows)


def _telemetry(cabin: Cabin) -> Telemetry:
    """What arrives at the bridge."""
    sent = cabin.telemetry()
    assert isinstance(sent, Telemetry)
    arrived = read(write_telemetry(sent))
    assert isinstance(arrived, Telemetry)
    return arrived


def _as_read(command: Command) -> Command:
    """What arrives at the simulator."""
    arrived = read(write_steer(command))
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
