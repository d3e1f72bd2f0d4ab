"""A drive within one process is, to the last bit, that of a client of the bridge in lock-step."""

import asyncio
from typing import Any

import numpy as np
import pytest

from drive.observation import ObservationSpec
from drive.udacity.bridge import Limits, in_background
from drive.udacity.bridge_config import BridgeConfig
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.cabin import Cabin
from drive.udacity.simulator.client import Client
from drive.udacity.simulator.client_config import ClientConfig
from drive.udacity.simulator.side_channel import SideChannel
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


class Watched(SideChannel):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(None)
        self.moments: list[dict[str, Any]] = []

    def tell(self, cabin: Cabin) -> None:
        self.moments.append(cabin.moment())


def through_the_bridge(simulator: Simulator) -> list[dict[str, Any]]:
    """Moments after each reply to the stand-in in lock-step."""
    simulator.reset()
    side, limits = Watched(), Limits(stale_after=60.0)
    with in_background(driver, BridgeConfig(port=0, limits=limits)) as bridge:
        config = ClientConfig(port=bridge.port, clock="lockstep", seconds=0.06 * FRAMES)
        asyncio.run(Client(Cabin(simulator), config, side).run())
    return side.moments


def driver() -> PolicyDriver:
    return PolicyDriver(EveryPixel(), 20.0, seed=5)


def test_the_path_is_the_bridges_bit_for_bit(simulator: Simulator) -> None:
    moments = through_the_bridge(simulator)
    assert len(moments) == FRAMES
    steps = drive_laps(driver(), simulator, laps=moments[-1]["laps"])
    names = ["x", "y", "heading", "speed", "lateral_error", "time"]
    expected = [[moment[name] for name in names] for moment in moments]
    np.testing.assert_array_equal(steps[names].to_numpy(), expected)
    commands = [(moment["steering"], moment["throttle"]) for moment in moments]
    np.testing.assert_array_equal(steps[["action_steer", "action_throttle"]], commands)
    assert steps["action_steer"].std() > 0.05
    assert steps["progress"].is_monotonic_increasing
