"""Roads of maps, tile by tile, and driving on them."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import TRACK_DETAIL_STEP, TRACK_WIDTH
from numpy.typing import NDArray

import maps
from drive.carracing import road
from drive.carracing.world import CarRacingWorld

Driver = Callable[..., NDArray[np.float64]]


def oval(half_width: float = 6.0) -> maps.TrackMap:
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    line = np.column_stack([120 * np.cos(angle), 70 * np.sin(angle)])
    return maps.TrackMap("test oval", "the tests", half_width, line)


@pytest.mark.parametrize("seed", [0, 1, 2, 42])
def test_tiles_and_kerbs_are_laid_as_gymnasium_lays_them(
    seed: int,
    stock_physics: Any,  # noqa: ANN401
) -> None:
    stock_physics.reset(seed=seed)
    world = CarRacingWorld(renderer="none", map=oval())
    world.reset()
    world._destroy()
    world.road_poly = []
    road.lay_tiles(world, stock_physics.track, TRACK_WIDTH)
    assert len(world.road_poly) == len(stock_physics.road_poly)
    assert len(world.road) == len(stock_physics.road)
    visited = {tile.idx for tile in stock_physics.road if tile.road_visited}
    tiles = {id(tile.color): tile.idx for tile in world.road}
    for (corners, colour), (stock_corners, stock_colour) in zip(
        world.road_poly, stock_physics.road_poly, strict=True
    ):
        np.testing.assert_array_equal(corners, stock_corners)
        if tiles.get(id(colour)) not in visited:
            np.testing.assert_array_equal(colour, stock_colour)


def test_a_map_is_resampled_to_gymnasiums_spacing() -> None:
    world = CarRacingWorld(renderer="none", map=oval(half_width=5.0))
    world.reset(seed=1)
    points = np.array([row[2:4] for row in world.track])
    gaps = np.hypot(*(np.roll(points, -1, axis=0) - points).T)
    np.testing.assert_allclose(gaps, TRACK_DETAIL_STEP, rtol=0.01)
    np.testing.assert_allclose((points / [120, 70]) ** 2 @ [1, 1], 1, atol=0.002)
    np.testing.assert_allclose(points[0], [120, 0])
    assert world.half_width == world.track_geometry.half_width == 5.0
    first = world.track
    world.reset(seed=2)
    assert world.track == first


@pytest.mark.parametrize("half_width", [5.0, 8.0])
def test_the_road_is_as_wide_as_the_map_says(half_width: float) -> None:
    world = CarRacingWorld(renderer="none", map=oval(half_width))
    world.reset()
    corners = np.array(world.road[0].fixtures[0].shape.vertices)
    assert np.hypot(*(corners[0] - corners[1])) == pytest.approx(2 * half_width, rel=1e-5) or (
        np.hypot(*(corners[1] - corners[2])) == pytest.approx(2 * half_width, rel=1e-5)
    )


def test_a_lap_on_a_map_visits_every_tile(pursue: Driver) -> None:
    world = CarRacingWorld(renderer="none", map=oval())
    _, info = world.reset()
    assert info["heading"] == pytest.approx(np.pi / 2, abs=0.02)
    total = 0.0
    for _ in range(1500):
        _, reward, terminated, _, info = world.step(pursue(world))
        total += reward
        assert info["wheels_off_road"] == 0
        if terminated:
            break
    assert terminated
    assert info["lap_complete"]
    assert info["tiles_visited"] == info["tiles_total"]
    assert 850 < total < 1000


def test_bundled_maps_are_laid_whole() -> None:
    for name in maps.names():
        world = CarRacingWorld(renderer="none", map=name)
        _, info = world.reset(seed=0)
        assert info["wheels_off_road"] == 0
        assert info["tiles_total"] == round(world.track_geometry.length / TRACK_DETAIL_STEP)


def test_an_unknown_map_is_an_error() -> None:
    with pytest.raises(maps.MapError):
        CarRacingWorld(renderer="none", map="no such map")


def test_a_closed_world_leaves_nothing_behind() -> None:
    world = CarRacingWorld(renderer="none", map=oval())
    world.reset(seed=0)
    world.step(np.array([0.0, 0.5, 0.0]))
    kept = [weakref.ref(thing) for thing in (world, world.road[0], world.car.hull)]
    world.close()
    world.close()  # a second time does no harm
    del world
    gc.collect()
    assert [reference() for reference in kept] == [None, None, None]
