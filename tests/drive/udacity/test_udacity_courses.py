"""The two roads are what they are said to be."""

import numpy as np
import pytest

from drive.udacity.simulator.course_names import CourseName
from drive.udacity.simulator.courses import COURSES, JUNGLE, LAKE
from maps.track_map import find_crossing


def bends(course: CourseName) -> np.ndarray:
    """Radii of the circles through every three points four metres apart, left positive."""
    points = COURSES[course].track.points
    before, after = np.roll(points, 4, axis=0), np.roll(points, -4, axis=0)
    a, b = points - before, after - points
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    sides = np.prod([np.hypot(*side.T) for side in (a, b, after - before)], axis=0)
    return np.asarray(sides / (2.0 * np.where(np.abs(area) < 1e-9, 1e-9, area)))


def test_the_lake_road() -> None:
    assert LAKE.track.length == pytest.approx(1100.0, abs=50.0)
    assert 2.0 * LAKE.track.half_width == 7.0
    radii = bends("lake")
    assert radii[radii > 0].min() == pytest.approx(19.0, abs=1.0)
    curved = np.abs(radii) < 200.0
    assert (radii[curved] > 0).mean() > 0.75, "mostly to the left"


def test_the_jungle_is_tighter_and_bends_both_ways() -> None:
    radii = bends("jungle")
    assert 12.0 < radii[radii > 0].min() < 16.0
    assert 12.0 < -radii[radii < 0].max() < 16.0
    tight = np.abs(radii) < 40.0
    assert tight.mean() > (np.abs(bends("lake")) < 40.0).mean()


@pytest.mark.parametrize("course", [LAKE, JUNGLE], ids=lambda course: str(course.name))
def test_a_lap_closes_without_crossing_itself(course: object) -> None:
    track = COURSES[course.name].track  # type: ignore[attr-defined]
    assert find_crossing(track.points) is None
    gaps = np.hypot(*(np.roll(track.points, -1, axis=0) - track.points).T)
    assert gaps.max() < 1.1
    turns = np.diff(np.unwrap(np.append(track.headings, track.headings[0])))
    assert turns.sum() == pytest.approx(2.0 * np.pi, abs=1e-6)
