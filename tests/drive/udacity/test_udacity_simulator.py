"""The simulator in process, its supervisor and its scripted driver."""

import math
from dataclasses import replace

import numpy as np
import pytest

from drive.udacity.simulator import Simulator, SimulatorError
from drive.udacity.simulator.course_names import CourseName
from drive.udacity.simulator.scripted import Disturbance, ScriptedDriver
from drive.udacity.simulator.scripted_config import ScriptedConfig
from drive.udacity.simulator.supervision import Supervisor, autonomy
from drive.udacity.simulator.vehicle import MPH


@pytest.fixture(scope="module")
def lake() -> Simulator:
    return Simulator("lake")


def test_reset_puts_the_car_where_it_is_told(lake: Simulator) -> None:
    state = lake.reset(200.0, lateral=1.5, heading=-0.2)
    assert state.arc == pytest.approx(200.0, abs=0.05)
    assert state.lateral_error == pytest.approx(1.5, abs=1e-3)
    assert state.heading_error == pytest.approx(-0.2, abs=0.01)
    assert (state.speed, state.time) == (0.0, 0.0)
    assert state.progress == pytest.approx(0.0, abs=0.05)
    x, y = lake.track.point_at(200.0)
    assert math.dist((x, y), (state.x, state.y)) == pytest.approx(1.5, abs=1e-6)


def test_the_clock_goes_in_fiftieths_and_the_same_commands_repeat(lake: Simulator) -> None:
    def drive() -> list[tuple[float, float]]:
        lake.reset(10.0)
        states = [lake.step(0.1 * math.sin(k), 0.8, 0.06) for k in range(40)]
        assert states[-1].time == pytest.approx(40 * 0.06)
        return [(state.x, state.y) for state in states]

    assert drive() == drive()


def test_steering_is_right_positive_and_lateral_error_left_positive(lake: Simulator) -> None:
    lake.reset(300.0)
    state = lake.step(1.0, 1.0, 1.5)
    assert state.lateral_error < -0.5
    assert state.heading_error < 0.0


def test_commands_are_cut_and_must_be_finite(lake: Simulator) -> None:
    lake.reset()
    cut = lake.step(0.0, 7.0, 1.0)
    lake.reset()
    assert lake.step(0.0, 1.0, 1.0) == cut
    with pytest.raises(SimulatorError, match="finite"):
        lake.step(math.nan, 0.0)


@pytest.mark.parametrize(("track", "camera"), [("moon", "training"), ("lake", "rear")])
def test_unknown_names_are_refused_in_one_line(track: str, camera: str) -> None:
    with pytest.raises(SimulatorError, match="is one of") as fault:
        Simulator(track, camera)  # type: ignore[arg-type]
    assert "\n" not in str(fault.value)


def test_the_supervisor_puts_the_car_back_as_soon_as_its_centre_is_off(lake: Simulator) -> None:
    lake.reset(300.0)
    supervisor = Supervisor(lake)
    for _ in range(500):
        before = lake.state
        state = supervisor.step(0.2, 0.6, 0.02)
        if supervisor.interventions:
            break
    assert abs(before.lateral_error) < 3.5, "not earlier than the edge"
    assert abs(before.lateral_error) > 3.2
    assert state.lateral_error == pytest.approx(0.0, abs=1e-3)
    assert state.heading_error == pytest.approx(0.0, abs=0.05)
    assert state.speed == pytest.approx(before.speed, abs=0.2)
    assert state.time > before.time
    assert supervisor.autonomy == autonomy(1, state.time)


def test_autonomy_is_nvidias() -> None:
    assert autonomy(10, 600.0) == pytest.approx(0.90)  # the paper's own example
    assert autonomy(0, 600.0) == 1.0
    assert autonomy(5, 10.0) == 0.0
    assert autonomy(0, 0.0) == 1.0


@pytest.mark.parametrize(("track", "rmse"), [("lake", 0.2), ("jungle", 0.4)])
def test_the_scripted_driver_keeps_to_the_road_for_a_lap(track: CourseName, rmse: float) -> None:
    simulator = Simulator(track)
    supervisor, driver = Supervisor(simulator), ScriptedDriver(simulator.track)
    simulator.reset()
    errors, speeds = [], []
    while simulator.state.laps < 1.0:
        state = supervisor.step(*driver.drive(simulator.state), 0.02)
        errors.append(state.lateral_error)
        speeds.append(state.speed / MPH)
        assert state.time < 200.0
    assert supervisor.interventions == 0
    assert np.sqrt(np.mean(np.square(errors))) < rmse
    assert max(speeds) == pytest.approx(20.0, abs=0.5)


def test_the_scripted_driver_brakes_for_bends(lake: Simulator) -> None:
    driver = ScriptedDriver(lake.track, ScriptedConfig(speed=30.0, grip=5.0))
    lake.reset()
    pulls = []
    while lake.state.laps < 1.0:
        state = lake.step(*driver.drive(lake.state))
        pulls.append(state.speed**2 * abs(float(lake.track.curvature_at(state.arc))))
    assert max(pulls) < 1.25 * 5.0


def test_the_disturbance_has_the_deviation_and_memory_it_says() -> None:
    config = ScriptedConfig(disturbance=0.3, correlation=0.5)
    process = Disturbance(config, np.random.default_rng(0))
    values = np.array([process.step(0.02) for _ in range(200_000)])[100:]
    assert values.std() == pytest.approx(0.3, rel=0.05)
    lag = 25  # half a second
    assert np.corrcoef(values[:-lag], values[lag:])[0, 1] == pytest.approx(math.exp(-1), abs=0.05)


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(SimulatorError, match="speed must be positive, not 0"):
        replace(ScriptedConfig(), speed=0.0).check()
