"""The world's physics against gymnasium's own."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import CarRacing
from numpy.typing import NDArray

import maps
from drive.carracing.world import CarRacingWorld

Driver = Callable[..., NDArray[np.float64]]


def state(env: Any) -> list[float]:  # noqa: ANN401
    """Every number of the car that the next step depends on."""
    values: list[float] = [env.reward, env.tile_visited_count, env.t]
    for body in (env.car.hull, *env.car.wheels):
        values += [*body.position, body.angle, *body.linearVelocity, body.angularVelocity]
    for wheel in env.car.wheels:
        values += [wheel.omega, wheel.phase, wheel.gas, wheel.brake, wheel.joint.angle]
        values += sorted(tile.idx for tile in wheel.tiles)
    return values


def visited(env: Any) -> list[bool]:  # noqa: ANN401
    return [tile.road_visited for tile in env.road]


@pytest.mark.parametrize("driven", [False, True])
def test_twenty_seeds_equal_gymnasium_to_the_last_bit(
    driven: bool,
    stock_physics: Any,  # noqa: ANN401
    pursue: Driver,
) -> None:
    world = CarRacingWorld(renderer="none")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        world.reset(seed=seed)
        stock_physics.reset(seed=seed)
        assert world.track == stock_physics.track
        for step in range(500):
            random = rng.uniform([-1, 0, 0], [1, 1, 0.6]).astype(np.float32)
            action = pursue(world) if driven else random
            results = world.step(action)[1:4]
            assert results == stock_physics.step(action)[1:4]
            assert tuple(world.car.hull.position) == tuple(stock_physics.car.hull.position)
            if step % 10 == 9:
                assert state(world) == state(stock_physics)
            if results[1]:
                break
        assert visited(world) == visited(stock_physics)
    assert not driven or world.tile_visited_count > 60


def test_discrete_actions_are_gymnasiums() -> None:
    world, stock = CarRacingWorld(renderer="none", continuous=False), CarRacing(continuous=False)
    world.reset(seed=1)
    stock.reset(seed=1)
    for action in [3, 3, 1, 2, 4, 0, 3]:
        assert world.step(action)[1] == stock.step(action)[1]
    assert state(world) == state(stock)


def test_episodes_are_cut_after_a_thousand_steps_and_report_it() -> None:
    env = gymnasium.make("nsac/CarRacing-v0", renderer="none")
    env.reset(seed=0)
    ends = [env.step(np.zeros(3))[2:4] for _ in range(1000)]
    assert ends[:-1] == [(False, False)] * 999
    assert ends[-1] == (False, True)


def test_a_lap_repeats_after_other_laps(pursue: Driver) -> None:
    world = CarRacingWorld(renderer="none")

    def lap() -> list[list[float]]:
        world.reset(seed=5)
        states = []
        for _ in range(150):
            world.step(pursue(world))
            states.append(state(world))
        return states

    first = lap()
    world.reset(seed=6)
    world.step(np.array([1.0, 1.0, 0.0]))
    assert lap() == first


def test_the_map_of_a_seed_is_that_seeds_track(stock_physics: CarRacing) -> None:
    world = CarRacingWorld(renderer="none", map="seed:42")
    stock_physics.reset(seed=42)
    for seed in (7, 8, None):
        world.reset(seed=seed)
        assert world.track == stock_physics.track
        action = np.array([0.1, 0.5, 0.0])
        stock_physics.reset(seed=42)
        for _ in range(50):
            world.step(action)
            stock_physics.step(action)
        assert state(world) == state(stock_physics)


def test_colours_leave_track_and_physics_of_a_seed() -> None:
    from drive.carracing.colours import draw_paper_colours  # noqa: PLC0415

    plain = CarRacingWorld(renderer="none")
    painted = CarRacingWorld(renderer="none", colours=draw_paper_colours(np.random.default_rng(1)))
    for seed in (3, 4):
        plain.reset(seed=seed)
        painted.reset(seed=seed)
        assert painted.track == plain.track
        for _ in range(50):
            action = np.array([-0.1, 0.8, 0.0])
            plain.step(action)
            painted.step(action)
        assert state(painted) == state(plain)


def test_the_seeds_map_and_its_centre_line_agree() -> None:
    world = CarRacingWorld(renderer="none", map="seed:3")
    world.reset()
    np.testing.assert_array_equal(maps.load("seed:3").centre_line, world.track_geometry.points)
