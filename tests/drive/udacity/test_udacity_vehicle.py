"""The car against closed forms, and against what a log of the real one shows."""

import math

import numpy as np
import pytest

from drive.udacity.simulator.vehicle import MPH, TOP_SPEED, Vehicle


def drive(vehicle: Vehicle, steering: float, throttle: float, seconds: float) -> list[Vehicle]:
    states = [vehicle]
    for _ in range(round(seconds * 50)):
        states.append(states[-1].tick(steering, throttle))
    return states


def test_full_throttle_is_that_of_the_differential_equation() -> None:
    speeds = [car.speed for car in drive(Vehicle(), 0.0, 1.0, 2.5)]
    times = np.arange(len(speeds)) / 50
    np.testing.assert_allclose(speeds, 53.0 * (1.0 - np.exp(-0.1 * times)), atol=0.02)


def test_top_speed_is_30_mph() -> None:
    assert drive(Vehicle(), 0.0, 1.0, 20.0)[-1].speed == TOP_SPEED == pytest.approx(30 * MPH, 1e-3)


def test_coasting_and_braking_as_in_a_log_of_the_real_car() -> None:
    before, after = drive(Vehicle(speed=11.3), 0.0, 0.0, 0.02)
    assert (after.speed - before.speed) / 0.02 == pytest.approx(-1.13, abs=0.05)
    before, after = drive(Vehicle(speed=11.3), 0.0, -1.0, 0.02)
    assert -10.0 < (after.speed - before.speed) / 0.02 < -7.7


def test_negative_throttle_reverses_below_5_mph_only() -> None:
    assert min(car.speed for car in drive(Vehicle(speed=9.0), 0.0, -1.0, 0.7)) > 0.0
    assert drive(Vehicle(speed=1.0), 0.0, -1.0, 3.0)[-1].speed < -0.5


@pytest.mark.parametrize("steering", [1.0, -0.4])
def test_a_held_wheel_drives_a_circle_about_the_point_where_the_axles_meet(steering: float) -> None:
    states = drive(Vehicle(speed=5.0), steering, 0.1, 10.0)
    turn = 2.87 / math.tan(math.radians(25.0) * abs(steering))  # from the rear axle's middle
    centre = np.array([-0.5 * 2.87, -math.copysign(turn, steering)])
    away = [math.dist((car.x, car.y), centre) for car in states]
    np.testing.assert_allclose(away, math.hypot(turn, 0.5 * 2.87), rtol=1e-4)
    assert (states[-1].heading < 0.0) == (steering > 0.0), "right is positive"
