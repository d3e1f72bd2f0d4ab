import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import maps
from drive.track import LapProgress, Track
from maps.drawings import round_corners
from maps.shaping import resample

FloatArray = NDArray[np.float64]
HALF_WIDTH = 40 / 6


def circle(radius: float, n: int, clockwise: bool = False) -> FloatArray:
    angles = np.arange(n) * 2 * np.pi / n * (-1 if clockwise else 1)
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def random_loop(seed: int, n: int = 240) -> FloatArray:
    """A smooth star-shaped loop of unevenly spaced points."""
    rng = np.random.default_rng(seed)
    angles = np.sort((np.arange(n) + rng.uniform(-0.3, 0.3, n)) * 2 * np.pi / n)
    waves = np.arange(1, 6)
    sizes, phases = rng.uniform(0, 0.12, 5), rng.uniform(0, 2 * np.pi, 5)
    radii = 150 * (1 + (sizes * np.cos(np.outer(angles, waves) + phases)).sum(axis=1))
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])


def dense(track: Track, a_segment: int = 400) -> tuple[FloatArray, FloatArray]:
    """Points sampled along every segment, and their arc lengths."""
    shares = np.arange(a_segment) / a_segment
    ends = np.roll(track.points, -1, axis=0)
    points = track.points[:, None] + shares[:, None] * (ends - track.points)[:, None]
    spans = np.append(track.arc_lengths[1:], track.length) - track.arc_lengths
    return points.reshape(-1, 2), (track.arc_lengths[:, None] + shares * spans[:, None]).ravel()


@pytest.mark.parametrize("clockwise", [False, True])
def test_circle_has_closed_forms(clockwise: bool) -> None:
    n, radius, sign = 360, 100.0, -1.0 if clockwise else 1.0
    track = Track(circle(radius, n, clockwise), HALF_WIDTH)
    assert track.length == pytest.approx(2 * n * radius * math.sin(math.pi / n))
    tangents = np.column_stack([-track.points[:, 1], track.points[:, 0]]) * sign / radius
    np.testing.assert_allclose(np.cos(track.headings), tangents[:, 0], atol=1e-12)
    np.testing.assert_allclose(np.sin(track.headings), tangents[:, 1], atol=1e-12)
    np.testing.assert_allclose(track.curvature, sign / radius, rtol=1e-4)
    # A quarter of the circle on, 3 nearer to its centre: the inside is left when going round left.
    here = track.project((0.0, 97.0))
    assert here.lateral_error == pytest.approx(3.0 * sign, abs=1e-3)
    assert here.arc_length == pytest.approx(track.length * (0.75 if clockwise else 0.25), abs=0.05)
    assert math.cos(here.heading) == pytest.approx(-sign, abs=1e-6)
    assert here.curvature == pytest.approx(sign / radius, rel=1e-4)
    left, right = track.boundaries()
    np.testing.assert_allclose(np.hypot(*left.T), radius - sign * HALF_WIDTH)
    np.testing.assert_allclose(np.hypot(*right.T), radius + sign * HALF_WIDTH)


def test_headings_are_exact_on_an_unevenly_sampled_circle() -> None:
    angles = np.sort(np.random.default_rng(3).uniform(0, 2 * np.pi, 300))
    track = Track(50 * np.column_stack([np.cos(angles), np.sin(angles)]), HALF_WIDTH)
    gap = track.headings - angles - np.pi / 2
    np.testing.assert_allclose(np.cos(gap), 1.0, atol=1e-12)


def test_rounded_rectangle_bends_only_in_its_corners() -> None:
    corners = np.array([[-100.0, -60.0], [100, -60], [100, 60], [-100, 60]])
    line = resample(round_corners(corners, np.full(4, 30.0)), 2.0)
    track = Track(line, HALF_WIDTH)
    assert track.length == pytest.approx(2 * 140 + 2 * 60 + 2 * np.pi * 30, rel=1e-3)
    assert track.curvature_at(0.0) == pytest.approx(0.0, abs=1e-9)
    middle_of_corner = 70 + np.pi * 30 / 4
    assert track.curvature_at(middle_of_corner) == pytest.approx(1 / 30, rel=0.01)
    assert track.heading_at(middle_of_corner) == pytest.approx(np.pi / 4, abs=0.02)
    assert track.project((30.0, -55.0)).lateral_error == pytest.approx(5.0)
    assert track.project((30.0, -66.0)).lateral_error == pytest.approx(-6.0)


@pytest.mark.parametrize("name", ["seed:0", "seed:42", "hairpins", "sweeps"])
def test_curvature_turns_once_a_lap(name: str) -> None:
    track = Track(maps.load(name).centre_line, HALF_WIDTH)
    s = np.arange(0, track.length, 0.05)
    total = float(track.curvature_at(s).sum()) * 0.05
    assert abs(total) == pytest.approx(2 * np.pi, rel=0.02)
    assert (total < 0) == (name == "sweeps")
    assert np.abs(track.curvature).max() < 1.2 / 11.29  # gymnasium's tightest bend


@given(seed=st.integers(0, 50), x=st.floats(-250, 250), y=st.floats(-250, 250))
@settings(max_examples=60, deadline=None)
def test_projection_is_the_nearest_of_a_dense_sampling(seed: int, x: float, y: float) -> None:
    track = Track(random_loop(seed), HALF_WIDTH)
    points, arc_lengths = dense(track)
    distances = np.hypot(points[:, 0] - x, points[:, 1] - y)
    here = track.project((x, y))
    step = np.diff(arc_lengths).max()
    assert distances.min() - step <= abs(here.lateral_error) <= distances.min() + 1e-9
    foot = track.point_at(here.arc_length)
    assert np.hypot(*(foot - (x, y))) == pytest.approx(abs(here.lateral_error), abs=1e-9)
    inside = np.hypot(x, y) < np.hypot(*foot)  # the loop is star-shaped and runs left about 0
    if abs(here.lateral_error) > 1.0 and inside != (here.lateral_error > 0):
        # The foot's radius decides only near the line; farther off count how the loop winds.
        gaps = np.unwrap(np.arctan2(points[:, 1] - y, points[:, 0] - x))
        assert (here.lateral_error > 0) == (abs(gaps[-1] - gaps[0]) > np.pi)


def test_projection_inverts_an_offset_to_the_side() -> None:
    track = Track(maps.load("seed:7").centre_line, HALF_WIDTH)
    middles = track.point_at((track.arc_lengths[:-1] + track.arc_lengths[1:]) / 2)
    ahead = track.points[1:] - track.points[:-1]
    normals = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.hypot(*ahead.T)[:, None]
    found = track.project_many(middles - 4.0 * normals)
    np.testing.assert_allclose(found[:, 1], -4.0, atol=0.2)
    for middle, normal, row in zip(middles, normals, found, strict=True):
        assert tuple(row) == pytest.approx(tuple(track.project(middle - 4.0 * normal)))


def test_near_keeps_to_ones_own_road() -> None:
    # Two long straights 16 apart: a car between them belongs where it came from.
    corners = np.array([[-100.0, -8.0], [100, -8], [100, 8], [-100, 8]])
    track = Track(resample(round_corners(corners, np.full(4, 7.9))), HALF_WIDTH)
    lap = LapProgress(track)
    lap.update((0.0, -7.0))
    assert lap.update((0.5, 1.0)).lateral_error == pytest.approx(9.0)
    assert track.project((0.5, 1.0)).lateral_error == pytest.approx(7.0)
    assert lap.update((0.5, 1.0)).arc_length == pytest.approx(0.5)


def test_arc_lengths_wrap_around() -> None:
    track = Track(random_loop(1), HALF_WIDTH)
    s = np.array([-3.0, 0.0, 17.5, track.length + 17.5])
    np.testing.assert_allclose(track.point_at(s)[2], track.point_at(s)[3])
    np.testing.assert_allclose(track.point_at(s)[0], track.point_at(track.length - 3.0))
    np.testing.assert_allclose(track.point_at(track.arc_lengths), track.points, atol=1e-9)
    np.testing.assert_allclose(track.heading_at(track.arc_lengths), track.headings, atol=1e-9)
    np.testing.assert_allclose(track.curvature_at(track.arc_lengths), track.curvature, atol=1e-9)
    assert 0 <= track.project(track.points[0]).arc_length < track.length


def drive(lap: LapProgress, track: Track, start: float, end: float, aside: float = 0.0) -> None:
    for s in np.linspace(start, end, 2 + int(abs(end - start) / 2)):
        heading = float(track.heading_at(s))
        lap.update(track.point_at(s) + aside * np.array([-math.sin(heading), math.cos(heading)]))


def test_progress_counts_laps_both_ways() -> None:
    track = Track(maps.load("seed:42").centre_line, HALF_WIDTH)
    lap = LapProgress(track)
    drive(lap, track, 0.0, 2.5 * track.length, aside=3.0)
    assert lap.progress == pytest.approx(2.5, abs=0.005)
    assert lap.coverage == 1.0
    drive(lap, track, 2.5 * track.length, -0.25 * track.length, aside=-3.0)
    assert lap.progress == pytest.approx(-0.25, abs=0.005)


def test_crossing_the_start_backwards_and_again_gives_no_lap() -> None:
    track = Track(maps.load("oval").centre_line, HALF_WIDTH)
    lap = LapProgress(track)
    for _ in range(5):
        drive(lap, track, 0.0, -20.0)
        assert lap.progress == pytest.approx(-20 / track.length, abs=1e-6)
        drive(lap, track, -20.0, 20.0)
        drive(lap, track, 20.0, 0.0)
    assert lap.progress == pytest.approx(0.0, abs=1e-6)
    assert lap.coverage < 0.06


def test_shortcut_is_found_on_its_new_road_but_not_covered() -> None:
    track = Track(maps.load("oval").centre_line, HALF_WIDTH)
    lap = LapProgress(track)
    for y in np.arange(-80.0, 80.5, 2.0):  # straight across the grass to the other side
        here = lap.update((0.0, y))
    assert here.lateral_error == pytest.approx(0.0, abs=0.1)
    assert abs(lap.progress) == pytest.approx(0.5, abs=0.01)
    assert lap.coverage < 0.05


def test_coverage_counts_only_what_was_driven_on_the_road() -> None:
    track = Track(circle(100.0, 200), HALF_WIDTH)
    lap = LapProgress(track)
    drive(lap, track, 0.0, 0.25 * track.length)
    drive(lap, track, 0.25 * track.length, 0.5 * track.length, aside=-10.0)
    assert lap.progress == pytest.approx(0.5, abs=0.005)
    assert lap.coverage == pytest.approx(0.25, abs=0.02)


def test_projection_is_fast_enough_to_be_called_each_step() -> None:
    track = Track(maps.load("seed:42").centre_line, HALF_WIDTH)
    positions = [tuple(point) for point in track.points]
    track.project(positions[0], near=0.0)
    best = math.inf
    for _ in range(20):
        begin = time.perf_counter()
        for position, s in zip(positions, track.arc_lengths, strict=True):
            track.project(position, near=s)
        best = min(best, (time.perf_counter() - begin) / len(positions))
    assert best < 15e-6


@pytest.mark.parametrize("line", [np.zeros((2, 2)), np.zeros((5, 3)), np.zeros((5, 2))])
def test_impossible_lines_are_refused(line: FloatArray) -> None:
    with pytest.raises(ValueError, match="a centre line has"):
        Track(line, HALF_WIDTH)
