import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import maps
from drive.track import Track
from maps.circuits import LIMIT
from maps.drawings import round_corners
from maps.shaping import fit_road, reach, resample

FloatArray = NDArray[np.float64]
DATA = Path(os.environ.get("NSAC_DATA", Path(__file__).parents[3] / "shared" / "data"))
CIRCUITS = sorted((DATA / "circuits").glob("*.csv"))
real = pytest.mark.skipif(not CIRCUITS, reason="no real circuits: set NSAC_DATA")


def ellipse(a: float, b: float, n: int = 300) -> FloatArray:
    angles = np.arange(n) * 2 * np.pi / n
    return np.column_stack([a * np.cos(angles), b * np.sin(angles)])


def write(folder: Path, points: FloatArray, heading: str = "# x_m,y_m,w_r,w_l\n") -> Path:
    path = folder / "Ring.csv"
    path.write_text(heading + "".join(f"{x:.4f},{y:.4f},5.0,6.0\n" for x, y in points))
    return path


def test_a_circuit_is_scaled_to_fill_the_playfield(tmp_path: Path) -> None:
    shift = np.array([300.0, -50.0])
    track = maps.import_centre_line(write(tmp_path, ellipse(1000.0, 600.0) + shift))
    extent = np.ptp(track.centre_line, axis=0)
    np.testing.assert_allclose(extent, [2 * LIMIT, 2 * LIMIT * 0.6], rtol=0.002)
    np.testing.assert_allclose(track.centre_line.max(axis=0), extent / 2, atol=0.5)
    np.testing.assert_allclose(track.centre_line[0], [LIMIT, 0.0], atol=0.5)
    assert track.half_width == 40 / 6
    assert track.name == "ring"


def test_a_lap_of_a_given_length(tmp_path: Path) -> None:
    path = write(tmp_path, ellipse(1000.0, 600.0))
    assert maps.import_centre_line(path, length=1000.0).length == pytest.approx(1000, rel=0.01)
    with pytest.raises(maps.MapError, match="a lap of 9000 does not fit; at most"):
        maps.import_centre_line(path, length=9000.0)


def test_a_closing_row_is_taken_as_such(tmp_path: Path) -> None:
    points = ellipse(1000.0, 600.0)
    once = maps.import_centre_line(write(tmp_path, points))
    twice = maps.import_centre_line(write(tmp_path, np.vstack([points, points[:1]])))
    assert once == twice


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("1,2,3", "line 3: wanted the numbers x_m,y_m,w_tr_right_m,w_tr_left_m"),
        ("a,2,3,4", "line 3: wanted the numbers"),
        ("nan,2,3,4", "line 3: numbers must be finite"),
        ("1,2,0,4", "line 3: numbers must be finite and widths positive"),
        ("1000,0,5,6", "rows 1 and 2 are the same point"),
    ],
)
def test_a_bad_row_is_named(row: str, fault: str, tmp_path: Path) -> None:
    path = write(tmp_path, ellipse(1000.0, 600.0))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], row, *lines[3:]]))
    with pytest.raises(maps.MapError, match=fault) as caught:
        maps.import_centre_line(path)
    assert str(path) in str(caught.value)


def test_lines_that_are_no_lap_are_refused(tmp_path: Path) -> None:
    angles = np.arange(100) * 2 * np.pi / 100
    eight = 500 * np.column_stack([np.sin(angles + 0.1), np.sin(2 * (angles + 0.1))])
    cases = {
        "crosses itself near x_m -?[0-9]{1,2}, y_m -?[0-9]{1,2} ": eight,
        "not closed": ellipse(1000.0, 600.0)[:200],
        "3 rows, at least 16": ellipse(1000.0, 600.0)[:3],
        "no room for the road": ellipse(1000.0, 8.0),
    }
    for fault, points in cases.items():
        with pytest.raises(maps.MapError, match=fault):
            maps.import_centre_line(write(tmp_path, points))
    with pytest.raises(maps.MapError, match=r"none\.csv: cannot be read"):
        maps.import_centre_line(tmp_path / "none.csv")


def test_reach_of_shapes_with_closed_forms() -> None:
    assert reach(resample(ellipse(80.0, 80.0, 1000))) == pytest.approx(80.0, rel=2e-3)
    # An ellipse is tightest at the ends of its long axis: b^2 / a.
    assert reach(resample(ellipse(100.0, 60.0, 4000), 1.0)) == pytest.approx(36.0, rel=0.01)
    # Two parts that pass each other 20 apart, all bends wider than that: half the distance.
    side = [(-120, -70), (-70, -70), (-30, -10), (30, -10), (70, -70), (120, -70)]
    waist = np.array(side + [(-x, -y) for x, y in side], dtype=float)
    assert reach(resample(round_corners(waist, np.full(12, 20.0)))) == pytest.approx(10, rel=0.01)


def test_a_line_with_room_stays_and_a_tight_one_gives_way() -> None:
    wide = ellipse(200.0, 150.0)
    fitted = fit_road(wide, 300.0)
    assert fitted is not None
    moved = np.abs(Track(wide, 6.0).project_many(fitted)[:, 1])
    assert moved.max() < 0.1
    narrow = ellipse(200.0, 30.0, 1000)  # tightest radius 4.5
    fitted = fit_road(narrow, 300.0)
    assert fitted is not None
    assert 1 / np.abs(Track(fitted, 40 / 6).curvature).max() > 11.0
    assert np.abs(Track(narrow, 6.0).project_many(fitted)[:, 1]).max() < 20.0


@real
@pytest.mark.parametrize("path", CIRCUITS, ids=lambda path: path.stem)
def test_real_circuits_become_drivable_maps(path: Path, tmp_path: Path) -> None:
    if path.stem == "Suzuka":
        with pytest.raises(maps.MapError, match="a flat world has no bridge"):
            maps.import_centre_line(path)
        return
    track = maps.import_centre_line(path)
    maps.save(track, tmp_path / "m.json")
    assert maps.load(tmp_path / "m.json").name == path.stem.lower()
    road = Track(track.centre_line, track.half_width)
    assert 1 / np.abs(road.curvature).max() > 1.15 * track.half_width
    for edge in road.boundaries():
        gaps = np.abs(road.project_many(edge)[:, 1])
        assert gaps.min() > 0.95 * track.half_width  # the road nowhere runs into itself
    # It is still the circuit: nowhere farther from it than three half-widths.
    metres = np.loadtxt(path, delimiter=",", comments="#")[:, :2]
    scale = float(track.origin.split(",")[1].split()[0])
    wanted = (metres - (metres.min(axis=0) + metres.max(axis=0)) / 2) * scale
    assert np.abs(Track(wanted, 6.0).project_many(track.centre_line)[:, 1]).max() <= 20.1
