"""The racing line against another solver, and its speeds against closed forms and limits."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

import maps
from drive.track import Track
from policies.racing_line import LineConfig, RacingLine, least_curvature, plan, speed_profile

FloatArray = NDArray[np.float64]


def circle(radius: float, n: int = 200) -> FloatArray:
    angle = 2.0 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def stadium(radius: float = 20.0, straight: float = 160.0, step: float = 2.0) -> FloatArray:
    """Two straights and two half circles, counter-clockwise."""
    along = np.arange(0.0, straight, step)
    angle = np.arange(0.0, np.pi, step / radius)
    bend = radius * np.column_stack([np.sin(angle), -np.cos(angle)])
    half = np.concatenate(
        [
            np.column_stack([along - straight / 2, np.full(len(along), -radius)]),
            bend + np.array([straight / 2, 0.0]),
        ]
    )
    return np.concatenate([half, -half])


@pytest.mark.parametrize("radius", [20.0, 35.0])
def test_speed_in_a_circle_is_the_root_of_acceleration_times_radius(radius: float) -> None:
    config = LineConfig(lateral_acceleration=160.0)
    speed = speed_profile(Track(circle(radius), 6.0), config)
    assert speed == pytest.approx(np.sqrt(160.0 * radius), rel=0.01)


def test_speed_changes_keep_to_the_limits() -> None:
    config = LineConfig()
    line = Track(stadium(), 6.0)
    speed = speed_profile(line, config)
    gaps = np.diff(line.arc_lengths, append=line.length)
    change = (np.roll(speed, -1) ** 2 - speed**2) / (2.0 * gaps)
    assert change.max() == pytest.approx(config.acceleration)
    assert change.min() == pytest.approx(-config.braking)
    assert (speed**2 * np.abs(line.curvature)).max() == pytest.approx(config.lateral_acceleration)


def test_a_straight_is_left_at_the_speed_that_braking_allows() -> None:
    """Where the top speed is reached, braking to the bend begins at (v^2 - u^2) / 2a before it."""
    config = LineConfig(top_speed=70.0)
    line = Track(stadium(straight=400.0), 6.0)
    speed = speed_profile(line, config)
    bend = 200.0  # half of the straight lies before x = 0, half behind
    fast = line.points[(speed > 69.9) & (line.points[:, 1] < -19.9), 0]
    slowest = np.sqrt(config.lateral_acceleration * 20.0)
    assert bend - fast.max() == pytest.approx((70.0**2 - slowest**2) / (2 * 130.0), abs=4.0)


def test_least_curvature_agrees_with_a_bounded_least_squares_solver() -> None:
    rng = np.random.default_rng(0)
    n, room, straightness = 60, 2.0, 1e-3
    bends = np.convolve(np.tile(rng.normal(0.3, 0.6, n), 3), np.ones(9) / 9, "same")[n:-n]
    errors = rng.uniform(-1.0, 1.0, n)
    found = least_curvature(bends, errors, room, straightness)
    second = np.array([np.roll(e, 1) + np.roll(e, -1) - 2.0 * e for e in np.eye(n)])
    rows = np.vstack([second, np.sqrt(straightness) * np.eye(n)])
    target = -np.concatenate([bends, np.sqrt(straightness) * errors])
    exact = lsq_linear(rows, target, bounds=(-room - errors, room - errors), tol=1e-12).x
    assert found == pytest.approx(exact, abs=0.05)
    assert (np.abs(exact + errors) > room - 1e-6).any(), "no bound is active: the test is idle"


def lap_time(line: RacingLine) -> float:
    gaps = np.diff(line.track.arc_lengths, append=line.track.length)
    return float((2.0 * gaps / (line.speed + np.roll(line.speed, -1))).sum())


@pytest.mark.parametrize("radius", [12.0, 20.0])
def test_a_hairpin_is_driven_from_edge_to_edge_and_faster_than_in_the_middle(radius: float) -> None:
    road = Track(stadium(radius, straight=200.0, step=1.0), 6.5)
    line = plan(road, LineConfig(margin=3.5))
    errors = road.project_many(line.track.points)[:, 1]
    assert errors.max() == pytest.approx(3.0, abs=0.1)
    assert errors.min() == pytest.approx(-3.0, abs=0.1)
    middle = plan(road, LineConfig(margin=6.5))
    assert np.abs(road.project_many(middle.track.points)[:, 1]).max() < 0.1
    assert lap_time(line) < 0.97 * lap_time(middle)


def test_the_line_keeps_its_margin_on_gymnasium_tracks() -> None:
    for name in ("seed:2", "seed:5"):
        track_map = maps.load(name)
        road = Track(track_map.centre_line, track_map.half_width)
        line = plan(road, LineConfig(margin=3.5)).track
        errors = road.project_many(line.points)[:, 1]
        assert np.abs(errors).max() < track_map.half_width - 3.5 + 0.4
        assert np.abs(line.curvature).max() < np.abs(road.curvature).max() + 0.005


def test_a_road_narrower_than_its_margins_is_driven_in_its_middle() -> None:
    road = Track(stadium(), 2.0)
    line = plan(road, LineConfig(margin=3.0)).track
    assert np.abs(road.project_many(line.points)[:, 1]).max() < 0.1


def test_positions_along_the_lap_match_those_of_the_road() -> None:
    road = Track(stadium(), 6.5)
    line = plan(road, LineConfig())
    for lap in (0.0, 0.3, 0.77):
        on_road = road.project(line.track.point_at(line.arc_length_at(lap)))
        assert on_road.arc_length / road.length == pytest.approx(lap, abs=0.005)
