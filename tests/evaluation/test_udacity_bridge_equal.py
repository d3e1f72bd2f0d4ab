"""A drive within one process is, to the last bit, that of a client of the bridge in lock-step."""

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import connect

from drive.observation import ObservationSpec
from drive.udacity.bridge import BridgeConfig, Limits, in_background
from drive.udacity.frames import encode
from drive.udacity.protocol import Command, Telemetry, read, write_telemetry
from drive.udacity.simulator import Simulator, State
from drive.udacity.simulator.supervision import Supervisor
from drive.udacity.simulator.vehicle import MPH
from evaluation.udacity.closed_loop import drive_laps
from evaluation.udacity.driver import PolicyDriver
from policies import Decision

FRAMES = 60


class EveryPixel:
    """Steers by a sum over all pixels, and at random: any difference shows in the path."""

    name = "every-pixel"
    observation = ObservationSpec("camera", 2)

    def __init__(self) -> None:
        self.weights = np.random.default_rng(0).normal(size=self.observation.shape)

    def reset(self, n: int, seed: int = 0) -> None:  # noqa: ARG002
        self.rng = np.random.default_rng(seed)

    def act(self, observations: Any) -> Decision:  # noqa: ANN401
        sums = (self.weights * observations).sum(axis=(1, 2, 3, 4)) / 1e4
        steer = np.tanh(sums + self.rng.normal(0, 0.1, len(sums)))[:, None].astype(np.float32)
        return Decision(steer, steer, 0 * steer, 0 * steer)


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return Simulator("jungle")


def through_the_bridge(simulator: Simulator) -> list[State]:
    """States after each reply, as any lock-step client sees them."""
    supervisor, told, states = Supervisor(simulator), Command(0.0, 0.0), []
    simulator.reset()
    config = BridgeConfig(port=0, limits=Limits(stale_after=60.0))
    with in_background(lambda: PolicyDriver(EveryPixel(), 20.0, seed=5), config) as bridge:
        where = f"ws://127.0.0.1:{bridge.port}/socket.io/?EIO=4&transport=websocket"
        with connect(where, compression=None) as socket:
            for _ in range(FRAMES):
                speed, angle = simulator.state.speed / MPH, 25.0 * told.steering
                jpeg = encode(simulator.frame())
                socket.send(write_telemetry(Telemetry(angle, max(0.0, told.throttle), speed, jpeg)))
                while not isinstance(message := read(str(socket.recv(timeout=60))), Command):
                    pass
                told = message
                states.append(supervisor.step(told.steering, told.throttle, 0.06))
    return states


def test_the_path_is_the_bridges_bit_for_bit(simulator: Simulator) -> None:
    states = through_the_bridge(simulator)
    way = (states[-1].laps - 1e-9) if states[-1].laps > 0 else 0.01
    steps = drive_laps(PolicyDriver(EveryPixel(), 20.0, seed=5), simulator, laps=way)
    assert len(steps) >= FRAMES - 1
    names = ["x", "y", "heading", "speed", "lateral_error", "time"]
    expected = [[getattr(state, name) for name in names] for state in states[: len(steps)]]
    np.testing.assert_array_equal(steps[names][: len(expected)].to_numpy(), expected)
    assert len({astuple(state) for state in states}) == FRAMES
    assert steps["action_steer"].std() > 0.05
