import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drive.carracing.scenery import GroundNoise, Scenery
from drive.carracing.world import CarRacingWorld

RENDERERS = ("exact", "fast")
RIGHT = np.array([0.4, 0.4, 0.0], dtype=np.float32)


def seen(renderer: Any, scenery: Scenery | None, steps: int = 60) -> NDArray[np.int64]:  # noqa: ANN401
    """The picture after some steps to the right, when the camera is near and the car turned."""
    world = CarRacingWorld(renderer=renderer)
    frame, _ = world.reset(seed=3, options={"scenery": scenery})
    for _ in range(steps):
        frame, *_ = world.step(RIGHT)
    return frame.astype(np.int64)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_bars_are_black_and_leave_the_rest_alone(renderer: str) -> None:
    plain, barred = seen(renderer, None), seen(renderer, Scenery(bars=0.075))
    # 3/40 of 96 cells are 7.2
    for side in (barred[:84], barred[:84, ::-1]):
        assert not side[:, :7].any()
    edge = barred[20:80, 7] / np.maximum(plain[20:80, 7], 1)
    assert np.abs(edge[plain[20:80, 7] > 50] - 0.8).max() < 0.05
    np.testing.assert_array_equal(barred[:84, 8:88], plain[:84, 8:88])
    np.testing.assert_array_equal(barred[84:], plain[84:])


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("steps", [55, 90])
def test_the_blob_keeps_its_place_however_the_car_turns(renderer: str, steps: int) -> None:
    plain, shown = seen(renderer, None, steps), seen(renderer, Scenery(blob=8.0), steps)
    changed = (plain != shown).any(axis=2)
    red = changed & (np.abs(shown - (202, 0, 0)).max(axis=2) <= 2)
    # 16.2 pixels a unit; the car is at (500, 200) of 1000 x 800, y upwards
    column = (500 + 16.2 * (1.0 + 20 + 4)) * 96 / 1000
    row = (800 - (200 + 16.2 * (-2.4 + 10 + 4))) * 96 / 800
    rows, columns = np.nonzero(red)
    assert columns.mean() + 0.5 == pytest.approx(column, abs=0.4)
    assert rows.mean() + 0.5 == pytest.approx(row, abs=0.4)
    width, height = 8 * 16.2 * 96 / 1000, 8 * 16.2 * 96 / 800
    assert red.sum() == pytest.approx(width * height, rel=0.15)
    assert changed.sum() < (width + 2) * (height + 2)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_noise_replaces_the_grass_and_nothing_else(renderer: str) -> None:
    plain, noisy = seen(renderer, None), seen(renderer, Scenery(noise=GroundNoise(key=7)))
    green = (plain[:84, :, 1] - plain[:84, :, 0] > 95) & (plain[:84, :, 0] > 90)
    gray = np.ptp(plain[:84], axis=2) <= 1
    assert green.sum() > 1000
    assert gray.sum() > 300
    inner = gray.copy()  # a cell on the road's edge is partly grass
    inner[1:-1, 1:-1] &= gray[:-2, 1:-1] & gray[2:, 1:-1] & gray[1:-1, :-2] & gray[1:-1, 2:]
    np.testing.assert_array_equal(noisy[:84][inner], plain[:84][inner])
    np.testing.assert_array_equal(noisy[84:], plain[84:])
    grass = noisy[:84][green]
    assert grass.mean() == pytest.approx(127.5 - 1.5, abs=4)
    assert np.abs(np.corrcoef(grass.T) - np.eye(3)).max() < 0.1
    assert 40 < grass.std() < 256 / math.sqrt(12)


def test_noise_is_drawn_anew_for_each_frame_but_not_for_each_look() -> None:
    world = CarRacingWorld(renderer="fast")
    world.reset(seed=3, options={"scenery": Scenery(noise=GroundNoise(key=7))})
    for _ in range(60):
        world.step(np.array([0, 0, 1], dtype=np.float32))
    first, again = world._render("state_pixels"), world._render("state_pixels")
    np.testing.assert_array_equal(first, again)
    standing, *_ = world.step(np.zeros(3, dtype=np.float32))
    grass = np.ptp(first[:60].astype(int), axis=2) > 10
    assert (np.abs(standing[:60].astype(int) - first[:60])[grass] > 2).mean() > 0.9


def test_both_renderers_show_the_same_grains() -> None:
    scenery = Scenery(noise=GroundNoise(key=7, grain=3))
    exact, fast = (seen(renderer, scenery)[:84] for renderer in RENDERERS)
    assert np.corrcoef(exact.ravel(), fast.ravel())[0, 1] > 0.99
    half = Scenery(noise=GroundNoise(key=7, share=0.5, grain=3))
    plain = seen("fast", None)[:84]
    all_replaced = (np.abs(fast - plain).max(axis=2) > 3).mean()
    half_replaced = (np.abs(seen("fast", half)[:84] - plain).max(axis=2) > 3).mean()
    assert 0.4 < half_replaced / all_replaced < 0.75  # cells on a border count as replaced


def test_the_next_lap_is_plain_again() -> None:
    world = CarRacingWorld(renderer="fast")
    plain, _ = world.reset(seed=3)
    blob, _ = world.reset(seed=3, options={"scenery": Scenery(blob=8.0)})
    again, _ = world.reset(seed=3)
    assert (plain != blob).any()
    np.testing.assert_array_equal(plain, again)
