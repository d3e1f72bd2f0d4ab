"""The closed loop on the stand-in: what is late, what is changed, what is counted."""

import math

import numpy as np
import pandas as pd
import pytest

from drive.udacity.frame_shape import FRAME_SHAPE, Frame
from drive.udacity.protocol import Command, Telemetry
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.vehicle import MPH, TOP_SPEED, WHEELBASE
from drive.udacity.speed_control import SpeedControl
from evaluation import EvaluationError
from evaluation.perturbations import Perturbed
from evaluation.udacity.closed_loop import drive_laps
from evaluation.udacity.conditions import Condition, Late, conditions
from evaluation.udacity.drivers import Scripted

GRAY = np.full(FRAME_SHAPE, 128, dtype=np.uint8)


class Fixed:
    """The same command always; keeps what it was shown."""

    def __init__(self, steering: float = 0.0, throttle: float = 1.0) -> None:
        self.command = Command(steering, throttle)
        self.shown: list[tuple[Frame, Telemetry]] = []

    def reset(self) -> None:
        self.shown.clear()

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:
        self.shown.append((frame, telemetry))
        return self.command


class Proportional:
    """Privileged: steers against the lateral error, its rate, and with the bend."""

    def __init__(self, simulator: Simulator, speed: float = 20.0) -> None:
        self.simulator = simulator
        self.speed = SpeedControl(speed)

    def reset(self) -> None:
        self.speed.reset()

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:  # noqa: ARG002
        state = self.simulator.state
        bend = float(self.simulator.track.curvature_at(state.arc + 0.1 * state.speed))
        right = 0.12 * state.lateral_error + 0.9 * state.heading_error
        right -= math.atan(WHEELBASE * bend) / math.radians(25.0)
        return Command(right, self.speed.throttle(telemetry.speed))


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return Simulator("lake")


@pytest.fixture
def blind(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> Simulator:
    """The stand-in with a gray picture, which costs nothing."""
    monkeypatch.setattr(simulator, "frame", lambda: GRAY)
    return simulator


def test_conditions_come_one_at_a_time_and_the_clean_one_first() -> None:
    found = conditions([100, 0], ["noise", "blur:1-2"])
    assert [str(one) for one in found] == ["none", "100 ms late", "noise:3", "blur:1", "blur:2"]
    assert all(one.late_ms == 0 or one.perturbed.severity == 0 for one in found)


@pytest.mark.parametrize(
    ("latency", "perturbation", "words"),
    [
        (50, "noise", "multiple of 20"),
        (-20, "noise", "multiple of 20"),
        (0, "colours", "of CarRacing"),
        (0, "latency", "of CarRacing"),
        (0, "fog", "no perturbation 'fog'"),
    ],
)
def test_conditions_that_cannot_be_are_refused(latency: int, perturbation: str, words: str) -> None:
    with pytest.raises(EvaluationError, match=words):
        conditions([latency], [perturbation])


def test_a_command_holds_from_its_time_on_until_the_next_has_come() -> None:
    late, held = Late(100), []
    for k in range(4):
        late.give(Command(k + 1.0, 0.0))
        held += [late.tick().steering for _ in range(3)]
    # Given at ticks 0, 3, 6 and 9, each holds from five ticks (100 ms) later.
    assert held == [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3]


def test_a_late_car_does_the_same_later(blind: Simulator) -> None:
    on_time = drive_laps(Fixed(0.02), blind, laps=0.05)
    late = drive_laps(Fixed(0.02), blind, laps=0.05, late_ms=240)
    moving = ["x", "y", "heading", "speed", "lateral_error"]
    assert (late["speed"][:4] == 0).all()
    # 240 ms are four frames: a car at rest under no command stays where it is until then.
    n = len(late) - 4
    np.testing.assert_array_equal(late[moving][4:], on_time[moving][:n])


def test_a_privileged_driver_keeps_to_the_line_from_a_standing_start(blind: Simulator) -> None:
    for driver, most in ((Proportional(blind), 0.6), (Scripted(blind, 20.0), 0.4)):
        steps = drive_laps(driver, blind, laps=0.4)
        assert steps["interventions"].sum() == 0
        assert steps["progress"].iloc[-1] == pytest.approx(0.4, abs=0.001)
        assert np.abs(steps["lateral_error"]).max() < most
        cruise = steps["speed"][steps["time"] > 8.0] / MPH
        assert cruise.mean() == pytest.approx(20.0, abs=0.3)
        np.testing.assert_allclose(steps["seconds"], 0.06)


def test_whoever_leaves_the_road_is_put_back_and_counted(blind: Simulator) -> None:
    steps = drive_laps(Fixed(0.1, 0.3), blind, laps=0.05)
    helped = steps[steps["interventions"] > 0]
    assert len(helped) > 1
    # The edge is 3.5 m away; of 60 ms, at most 40 are driven on after being put back.
    assert np.abs(steps["lateral_error"]).max() <= blind.track.half_width
    assert np.abs(helped["lateral_error"]).max() < 0.04 * TOP_SPEED


def test_who_goes_nowhere_is_not_waited_for(blind: Simulator) -> None:
    steps = drive_laps(Fixed(0.0, 0.0), blind, laps=0.02, speed=20.0)
    # Twice the time that the way takes at 20 mph.
    expected = 2 * 0.02 * blind.track.length / (20.0 * MPH)
    assert steps["time"].iloc[-1] == pytest.approx(expected, abs=0.06)
    assert steps["progress"].iloc[-1] == 0


def test_the_driver_is_told_what_the_wire_would_carry(blind: Simulator) -> None:
    driver = Fixed(0.123456, 0.5)
    steps = drive_laps(driver, blind, laps=0.01)
    (_, first), *_, (frame, last) = driver.shown
    assert (first.steering_angle, first.throttle, first.speed) == (0.0, 0.0, 0.0)
    assert steps["action_steer"].iloc[-1] == 0.1235
    assert last.steering_angle == pytest.approx(25 * 0.1235, abs=5e-5)
    assert last.throttle == 0.5
    assert last.speed == round(float(steps["speed"].iloc[-2]) / MPH, 4)
    assert last.image.startswith(b"\xff\xd8")
    assert np.abs(frame.astype(int) - 128).max() <= 1


def test_perturbations_change_what_is_seen_and_what_is_steered(blind: Simulator) -> None:
    driver = Fixed(0.0, 1.0)
    noise, bias = (Perturbed(name, 3).of_lap(0, "lake") for name in ("noise", "steering-bias"))
    steps = drive_laps(driver, blind, laps=0.01, perturbation=noise)
    assert np.std([frame for frame, _ in driver.shown]) == pytest.approx(20.0, rel=0.05)
    assert (steps["action_steer"] == 0).all()
    steps = drive_laps(driver, blind, laps=0.01, perturbation=bias)
    assert np.abs(steps["action_steer"]).tolist() == [0.1] * len(steps)
    assert (steps["action_throttle"] == 1.0).all()


def test_braking_goes_through_a_perturbation_as_braking(blind: Simulator) -> None:
    bias = Perturbed("steering-bias", 1).of_lap(0, "lake")
    steps = drive_laps(Fixed(0.0, -0.25), blind, laps=0.001, perturbation=bias)
    assert (steps["action_throttle"] == -0.25).all()


def test_the_same_drive_twice_is_the_same(simulator: Simulator) -> None:
    noise = Condition(0, Perturbed("noise", 3))

    def drive() -> pd.DataFrame:
        lap = noise.perturbed.of_lap(1, "lake")
        driver = Fixed(0.01)
        steps = drive_laps(driver, simulator, laps=0.004, perturbation=lap)
        return steps.drop(columns="latency_ms").assign(
            shown=[int(frame.sum()) for frame, _ in driver.shown]
        )

    pd.testing.assert_frame_equal(drive(), drive())
