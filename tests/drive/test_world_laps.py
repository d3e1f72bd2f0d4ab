"""Truth, laps and their ends; cars are put where the test wants them, or driven."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.envs.box2d.car_dynamics import SIZE, WHEELPOS
from gymnasium.envs.box2d.car_racing import PLAYFIELD
from numpy.typing import NDArray

from drive.carracing.world import CarRacingWorld

Driver = Callable[..., NDArray[np.float64]]
Info = dict[str, Any]
IDLE = np.zeros(3)


@pytest.fixture
def world() -> CarRacingWorld:
    """At the start of seed 0, whose first metres are straight."""
    world = CarRacingWorld(renderer="none")
    world.reset(seed=0)
    return world


def put(
    world: CarRacingWorld, s: float, left: float = 0.0, turn: float = 0.0
) -> tuple[float, bool, Info]:
    """Put the car at rest beside arc length ``s``, turned from the road; reward, end, truth."""
    heading = float(world.track_geometry.heading_at(s))
    x, y = world.track_geometry.point_at(s)
    return put_at(world, x - left * math.sin(heading), y + left * math.cos(heading), heading + turn)


def put_at(world: CarRacingWorld, x: float, y: float, heading: float) -> tuple[float, bool, Info]:
    angle = heading - math.pi / 2
    places = [(0.0, 0.0), *((wx * SIZE, wy * SIZE) for wx, wy in WHEELPOS)]
    cosine, sine = math.cos(angle), math.sin(angle)
    for body, (px, py) in zip((world.car.hull, *world.car.wheels), places, strict=True):
        body.position = (x + cosine * px - sine * py, y + sine * px + cosine * py)
        body.angle = angle
        body.linearVelocity = (0, 0)
        body.angularVelocity = 0.0
    _, reward, terminated, _, info = world.step(IDLE)
    return reward, terminated, info


def glide(world: CarRacingWorld, start: float, stop: float, left: float = 0.0) -> tuple[bool, Info]:
    """Put the car from place to place along the road, ``start`` to ``stop`` laps."""
    length = world.track_geometry.length
    steps = math.ceil(abs(stop - start) * length / 2.0)
    ended, info = False, Info()
    for lap in np.linspace(start, stop, steps):
        _, ended, info = put(world, lap * length, left)
        if ended:
            break
    return ended, info


def test_reset_returns_the_truth_at_the_start() -> None:
    _, info = CarRacingWorld(renderer="none").reset(seed=0)
    assert info["position"].dtype == np.float64
    assert info["position"].shape == (2,)
    assert info["speed"] == pytest.approx(0, abs=1e-3)
    assert info["progress"] == pytest.approx(0, abs=1e-4)
    assert info["lateral_error"] == pytest.approx(0, abs=0.01)
    assert info["heading_error"] == pytest.approx(0, abs=0.02)
    assert (info["lap_complete"], info["wheels_off_road"]) == (False, 0)
    assert info["tiles_visited"] == 2  # gymnasium's own first step


@pytest.mark.parametrize(("left", "turn"), [(3.0, 0.4), (-2.0, -1.2), (0.0, 3.0)])
def test_the_truth_of_a_car_that_was_put_beside_the_road(
    world: CarRacingWorld, left: float, turn: float
) -> None:
    _, _, info = put(world, 20.0, left, turn)
    heading = world.track_geometry.heading_at(20.0)
    assert info["lateral_error"] == pytest.approx(left, abs=0.02)
    assert info["heading_error"] == pytest.approx(turn, abs=0.01)
    assert math.cos(info["heading"] - heading - turn) == pytest.approx(1, abs=1e-4)
    assert info["progress"] == pytest.approx(20.0 / world.track_geometry.length, abs=1e-3)


def test_wheels_off_road_are_those_on_grass(world: CarRacingWorld) -> None:
    half_width = world.half_width
    counts = [put(world, 20.0, left)[2]["wheels_off_road"] for left in (0, half_width, 20, -20)]
    assert counts == [0, 2, 4, 4]
    assert put(world, 20.0, half_width, math.pi / 2)[2]["wheels_off_road"] == 2  # front out


def test_speed_and_heading_are_of_the_motion(world: CarRacingWorld) -> None:
    before = world.reset(seed=0)[1]
    for _ in range(60):
        before, after = world.step(np.array([0.0, 0.5, 0.0]))[4], before
    moved = (before["position"] - after["position"]) * 50
    assert before["speed"] == pytest.approx(np.hypot(*moved), rel=0.02)
    assert math.atan2(moved[1], moved[0]) == pytest.approx(before["heading"], abs=0.02)


def test_a_driven_lap_is_complete(world: CarRacingWorld, pursue: Driver) -> None:
    info: Info = {}
    for _ in range(1500):
        *_, info = world.step(pursue(world))
        if info["lap_complete"]:
            break
        assert info["progress"] < 1.0
    assert info["lap_complete"]
    assert info["progress"] > 0.98
    assert info["tiles_visited"] >= 0.95 * info["tiles_total"]


def test_a_lap_that_missed_a_tile_is_complete_at_the_line(world: CarRacingWorld) -> None:
    """Gymnasium's own flag does not fire on such a lap; see its issue 1269."""
    glide(world, 0.0, 0.5)
    glide(world, 0.5, 0.52, left=15.0)
    ended, info = glide(world, 0.52, 0.999)
    assert (ended, info["lap_complete"]) == (False, False)
    ended, info = glide(world, 0.999, 1.001)
    assert (ended, info["lap_complete"]) == (False, True)
    assert info["tiles_visited"] < info["tiles_total"]
    _, info = glide(world, 1.001, 0.98)
    assert info["lap_complete"], "a lap stays driven"
    assert not world.reset(seed=0)[1]["lap_complete"]


def test_crossing_the_line_to_and_fro_is_no_lap(world: CarRacingWorld) -> None:
    for _ in range(3):
        glide(world, 0.02, -0.02)
        _, info = glide(world, -0.02, 0.02)
    assert not info["lap_complete"]
    assert info["progress"] == pytest.approx(0.02, abs=0.005)


def test_a_lap_backwards_is_no_lap(world: CarRacingWorld) -> None:
    _, info = glide(world, 0.0, -1.05)
    assert info["tiles_visited"] >= 0.95 * info["tiles_total"]
    assert info["progress"] < -0.9
    assert not info["lap_complete"]


def test_a_lap_beside_the_road_is_no_lap(world: CarRacingWorld) -> None:
    glide(world, 0.0, 0.4)
    glide(world, 0.4, 0.5, left=12.0)
    _, info = glide(world, 0.5, 1.05)
    assert info["progress"] == pytest.approx(1.05, abs=0.01)
    assert info["tiles_visited"] < 0.95 * info["tiles_total"]
    assert not info["lap_complete"]


def test_a_short_cut_across_the_start_is_no_lap(world: CarRacingWorld) -> None:
    """From 10 % straight to 90 % of the lap and over the line, as often as one likes."""
    length = world.track_geometry.length
    for _ in range(2):
        glide(world, 0.0, 0.1)
        here, there = (world.track_geometry.point_at(lap * length) for lap in (0.1, 0.9))
        for share in np.linspace(0, 1, 60):
            x, y = here + share * (there - here)
            put_at(world, x, y, 0.0)
        _, info = glide(world, 0.9, 1.0)
    assert not info["lap_complete"]
    assert info["tiles_visited"] < 0.5 * info["tiles_total"]


def test_leaving_the_playfield_ends_the_episode(world: CarRacingWorld) -> None:
    reward, ended, info = put_at(world, PLAYFIELD + 1.0, 0.0, 0.0)
    assert (reward, ended) == (-100, True)
    assert info["lap_finished"] is False
    assert not info["lap_complete"]
    assert info["wheels_off_road"] == 4


def test_many_laps_leave_nothing_behind(world: CarRacingWorld) -> None:
    import gc  # noqa: PLC0415

    def count(laps: int) -> tuple[int, int]:
        for lap in range(laps):
            world.reset(seed=lap % 2)
            world.step(IDLE)
        world.reset(seed=0)
        gc.collect()
        return world.world.bodyCount, len(gc.get_objects())

    bodies, objects = count(3)
    later_bodies, later_objects = count(12)
    assert later_bodies == bodies == len(world.road) + 5
    assert later_objects - objects < 200  # one lap's tiles alone are more
    world.close()
    world.close()
    world.reset(seed=0)
