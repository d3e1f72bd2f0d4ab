"""What the car is told for what is held."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from drive.carracing.world import CarRacingWorld
from recorders.config import WORLD
from recorders.human.config import HumanConfig
from recorders.human.controls import Hands, Ramps, action
from tests.recorders.scripted_drivers import Pursuit

CONFIG = HumanConfig(
    steer_rate=5, return_rate=10, gas_rate=2, brake_rate=2.5, release_rate=5, dead_zone=0.2
)


def after(steps: int, hands: Hands, start: Ramps | None = None, speed: float = 0.0) -> Ramps:
    ramps = start or Ramps()
    for _ in range(steps):
        ramps = ramps.after(hands, speed, CONFIG)
    return ramps


def test_a_held_key_turns_the_wheel_at_its_rate_up_to_full_lock() -> None:
    # 5 full locks a second are 0.1 in a step of 1/50 s.
    assert [after(n, Hands(left=True)).steer for n in (1, 5, 10, 30)] == pytest.approx(
        [-0.1, -0.5, -1, -1]
    )
    assert after(5, Hands(right=True)).steer == pytest.approx(0.5)


def test_a_released_wheel_returns_to_the_middle_and_stays() -> None:
    turned = Ramps(steer=0.5)
    assert [after(n, Hands(), turned).steer for n in (1, 2, 3, 9)] == pytest.approx(
        [0.3, 0.1, 0, 0]
    )


def test_the_other_key_first_brings_the_wheel_back() -> None:
    assert [after(n, Hands(left=True), Ramps(steer=0.3)).steer for n in (1, 2, 3)] == pytest.approx(
        [0.1, 0.0, -0.1]
    )


def test_both_keys_are_none() -> None:
    assert after(9, Hands(left=True, right=True)).steer == 0


@pytest.mark.parametrize(("speed", "turned"), [(0, 0.1), (40, 0.075), (80, 0.05), (200, 0.05)])
def test_at_speed_the_wheel_turns_more_slowly(speed: float, turned: float) -> None:
    assert after(1, Hands(right=True), speed=speed).steer == pytest.approx(turned)
    assert after(1, Hands(), Ramps(steer=0.5), speed).steer == pytest.approx(0.3)


def test_pedals_come_and_go_at_their_rates() -> None:
    assert [after(n, Hands(gas=True)).gas for n in (1, 10, 25, 60)] == pytest.approx(
        [0.04, 0.4, 1, 1]
    )
    assert [after(n, Hands(brake=True)).brake for n in (1, 10, 60)] == pytest.approx(
        [0.05, 0.5, 0.8]
    )
    released = after(3, Hands(), Ramps(gas=1, brake=0.25))
    assert (released.gas, released.brake) == pytest.approx((0.7, 0))


@pytest.mark.parametrize(
    ("stick", "steer"),
    # Half of the way beyond the dead zone of 0.2, to the power of 1.6.
    [(0, 0), (0.19, 0), (0.6, 0.5**1.6), (-0.6, -(0.5**1.6)), (1, 1), (-1, -1)],
)
def test_the_stick_steers_finely_beyond_its_dead_zone(stick: float, steer: float) -> None:
    assert action(Ramps(), Hands(stick=stick), CONFIG)[0] == pytest.approx(0.4 * steer)


class Keys:
    """Somebody who sees at once, and presses no key for less than three steps."""

    def __init__(self, config: HumanConfig) -> None:
        self.config, self.ramps, self.hands, self._since = config, Ramps(), Hands(), 0

    def told(self, world: CarRacingWorld) -> NDArray[np.float32]:
        speed = world.car.hull.linearVelocity.length
        wanted = np.clip(Pursuit.aim(world)[0] / 0.4, -1, 1)
        self._since += 1
        if self._since >= 3:
            more = wanted - self.ramps.steer
            self.hands = Hands(left=more < -0.15, right=more > 0.15, gas=speed < 40)
            self._since = 0
        self.ramps = self.ramps.after(self.hands, speed, self.config)
        return action(self.ramps, self.hands, self.config)


def lap_with(config: HumanConfig, seed: int) -> tuple[bool, float]:
    """Whether a lap of at most 40 s comes to its end, and the share of it off the road."""
    env = gymnasium.make(WORLD, renderer="none", max_episode_steps=2000, disable_env_checker=True)
    env.reset(seed=seed)
    world = env.unwrapped
    assert isinstance(world, CarRacingWorld)
    keys, off = Keys(config), []
    while True:
        *_, terminated, truncated, info = env.step(keys.told(world))
        off.append(info["wheels_off_road"] > 2)
        if terminated or truncated:
            return bool(info["lap_complete"]), float(np.mean(off))


def test_a_lap_can_be_driven_with_keys() -> None:
    """Where a key is full lock at once, the same person leaves the road."""
    hard = replace(HumanConfig(), steer_rate=50.0, return_rate=50.0, fast_share=1.0)
    for seed in (10_000, 10_001):
        assert lap_with(HumanConfig(), seed) == (True, 0.0)
        assert lap_with(hard, seed)[1] > 0.3


def test_triggers_are_pedals() -> None:
    told = action(Ramps(), Hands(gas_trigger=0.6, brake_trigger=1), CONFIG)
    np.testing.assert_allclose(told, [0, 0.5, 1])
    assert not action(Ramps(), Hands(gas_trigger=0.1, brake_trigger=0.2), CONFIG).any()


def test_keys_and_gamepad_together_stay_within_the_limits() -> None:
    told = action(Ramps(-0.7, 0.4, 0.8), Hands(stick=-1, gas_trigger=1), CONFIG)
    np.testing.assert_allclose(told, np.array([-0.4, 1, 0.8], np.float32))
    assert told.dtype == np.float32


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("speed", 0, "human.speed must be positive"),
        ("speed", 0.001, r"human.speed must lie in \[0.1, 1000.0\], not 0.001"),
        ("speed", 1e308, r"human.speed must lie in \[0.1, 1000.0\], not 1e\+308"),
        ("discard_seconds", 0.009, "human.discard_seconds must be at least 0.02, one step"),
        ("steer_rate", -1, "human.steer_rate must be positive"),
        ("discard_seconds", float("nan"), "human.discard_seconds must be positive"),
        ("key_gas", 1.1, "human.key_gas must be at most 1"),
        ("dead_zone", 1, "human.dead_zone must lie in"),
        ("dead_zone", -0.1, "human.dead_zone must lie in"),
    ],
)
def test_settings_that_cannot_be(field: str, value: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        HumanConfig(**{field: value}).check()
