import numpy as np
import pytest

from drive.carracing.dynamics import scale_dynamics
from drive.carracing.world import CarRacingWorld

GAS, BRAKE = (np.array(a, dtype=np.float32) for a in ([0, 1, 0], [0, 0, 1]))


def world(**scales: float) -> CarRacingWorld:
    made = CarRacingWorld(renderer="none")
    made.reset(seed=3)
    if scales:
        scale_dynamics(made, **scales)
    return made


def test_factors_of_one_change_no_bit() -> None:
    plain, scaled = world(), world(friction=1.0, power=1.0)
    rng = np.random.default_rng(0)
    for _ in range(100):
        action = rng.uniform([-1, 0, 0], [1, 1, 0.3]).astype(np.float32)
        plain.step(action)
        scaled.step(action)
        assert tuple(plain.car.hull.position) == tuple(scaled.car.hull.position)
        assert plain.car.hull.angle == scaled.car.hull.angle


def test_locked_wheels_brake_with_the_share_of_the_grip() -> None:
    def deceleration(friction: float) -> float:
        made = world()
        for _ in range(40):
            made.step(GAS)
        scale_dynamics(made, friction=friction)
        made.step(BRAKE)
        before = made.car.hull.linearVelocity.length
        for _ in range(5):
            *_, info = made.step(BRAKE)
        assert info["wheels_off_road"] == 0
        return float(before - made.car.hull.linearVelocity.length)

    assert deceleration(0.5) == pytest.approx(0.5 * deceleration(1.0), rel=0.03)


def test_power_turns_the_wheels_in_proportion_and_other_cars_keep_theirs() -> None:
    weak, other = world(power=0.2), world(power=0.5)  # below what the tyres' grip ends
    for made in (weak, other):
        made.step(GAS)
    spun = [made.car.wheels[2].omega for made in (weak, other)]
    assert spun[0] == pytest.approx(0.4 * spun[1], rel=1e-3)
    weak.reset(seed=3)
    plain = world()
    for made in (weak, plain):
        made.step(GAS)
    assert weak.car.wheels[2].omega == plain.car.wheels[2].omega > spun[1]
