"""Pictures of the stand-in: where things appear, compared with OpenCV's own projection."""

import cv2
import numpy as np
import pytest

from drive.udacity.frame_shape import Frame
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.cameras import AUTONOMOUS, CENTRE, LEFT, RIGHT, Camera
from drive.udacity.simulator.courses import COURSES

STRAIGHT = 300.0
"""An arc length of the lake road with a straight of forty metres after it."""


@pytest.fixture(scope="module")
def lake() -> Simulator:
    return Simulator("lake", "training")


def seen(camera: Camera, right: float, forward: float) -> tuple[float, float]:
    """Column and row at which OpenCV puts a point of the road."""
    point = np.array([[right - camera.right, camera.up, forward - camera.forward]])
    lens = np.array([[138.6, 0, 160], [0, 138.6, 80], [0, 0, 1]])
    tilt, _ = cv2.Rodrigues(np.array([camera.pitch, 0.0, 0.0]))
    pixels, _ = cv2.projectPoints(point, tilt, np.zeros(3), lens, None)
    column, row = pixels.reshape(2)
    return float(column), float(row)


def yellow(frame: Frame) -> np.ndarray:
    red, green, blue = (frame[..., c].astype(int) for c in range(3))
    return np.asarray((red - blue > 55) & (green - blue > 40))


@pytest.mark.parametrize(("number", "camera"), [(0, CENTRE), (1, LEFT), (2, RIGHT)])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_lines_lie_where_a_pinhole_camera_sees_them(
    lake: Simulator, number: int, camera: Camera, side: float
) -> None:
    lake.reset(STRAIGHT)
    mask = yellow(lake.frames()[number])
    found = 0
    for forward in np.arange(6.0, 12.0, 0.5):
        column, row = seen(camera, side * 3.42, forward)
        if 2 < column < 317:
            window = np.nonzero(mask[int(row), max(0, int(column) - 6) : int(column) + 7])[0]
            if len(window):
                middle = window.mean() + max(0, int(column) - 6) + 0.5
                further, higher = seen(camera, side * 3.42, forward + 0.1)
                slope = (further - column) / (higher - row)  # within the row the line runs on
                assert middle == pytest.approx(column + slope * (int(row) + 0.5 - row), abs=1.5)
                found += 1
    assert found >= 3


@pytest.mark.parametrize(("camera", "row"), [("training", 57), ("autonomous", 70)])
def test_the_horizon_is_where_the_real_cameras_have_it(camera: str, row: int) -> None:
    simulator = Simulator("lake", camera)  # type: ignore[arg-type]
    simulator.reset(STRAIGHT)
    column = simulator.frame()[:, 150:170].astype(int).mean(axis=1)
    bluish = column[:, 2] - column[:, 0]
    assert bluish[: row - 20].min() > 20, "sky above"
    assert abs(bluish[row + 6 : 130]).max() < 20, "road below"
    seen_from = {"training": CENTRE, "autonomous": AUTONOMOUS}[camera]
    assert seen_from.horizon == pytest.approx(row, abs=1)


def test_the_same_seed_gives_the_same_picture_bit_for_bit(lake: Simulator) -> None:
    lake.reset(120.0, 0.7, 0.1)
    picture = lake.frame()
    lake.step(0.3, 1.0, 1.0)
    assert not np.array_equal(lake.frame(), picture)
    again = Simulator("lake", "training")
    again.reset(120.0, 0.7, 0.1)
    np.testing.assert_array_equal(again.frame(), picture)
    assert picture.shape == (160, 320, 3)
    assert picture.dtype == np.uint8


def test_another_seed_changes_the_landscape_and_not_the_road(lake: Simulator) -> None:
    other = Simulator("lake", "training", seed=1)
    for simulator in (lake, other):
        simulator.reset(STRAIGHT)
    one, two = lake.frame(), other.frame()
    assert (one[:60] != two[:60]).mean() > 0.1
    lines = yellow(one)[90:130] & yellow(two)[90:130]
    assert lines.sum() > 0.8 * yellow(one)[90:130].sum()


def test_channels_are_red_green_blue(lake: Simulator) -> None:
    lake.reset(STRAIGHT)
    sky = lake.frame()[:20].reshape(-1, 3).mean(axis=0)
    assert sky[2] > sky[0] + 30
    lake.reset(495.0)  # in the tightest bend, with kerbs
    frame = lake.frame().astype(int)
    assert ((frame[..., 0] > 170) & (frame[..., 2] < 130) & (frame[..., 1] < 130)).sum() > 50


def test_the_courses_look_different() -> None:
    pictures = []
    for name in COURSES:
        simulator = Simulator(name)
        simulator.reset(30.0)
        pictures.append(simulator.frame()[80:].reshape(-1, 3).mean(axis=0))
    assert np.abs(pictures[0] - pictures[1]).max() > 15
    assert pictures[0][0] > pictures[0][2], "the lake road is warm"
    assert pictures[1][2] >= pictures[1][0] - 5, "the jungle road is cold"
