"""The exact renderer against gymnasium's own pictures."""

import gc
import time
from collections.abc import Callable

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import PLAYFIELD, CarRacing
from numpy.typing import NDArray

from drive.carracing.colours import ColourScheme, draw_paper_colours
from drive.carracing.observations import Frames
from drive.carracing.world import CarRacingWorld

Driver = Callable[..., NDArray[np.float64]]


def stock_picture(world: CarRacingWorld) -> Frames:
    """Gymnasium's own code on the same world at the same moment."""
    return np.asarray(CarRacing._render(world, "state_pixels"))


def test_an_episode_equals_gymnasiums_in_everything_it_returns() -> None:
    ours = gymnasium.make("nsac/CarRacing-v0", renderer="exact", observation="rgb96")
    stock = gymnasium.make("CarRacing-v3")
    rng = np.random.default_rng(0)
    for seed in (0, 42):
        np.testing.assert_array_equal(ours.reset(seed=seed)[0], stock.reset(seed=seed)[0])
        for _ in range(60):
            action = rng.uniform([-0.6, 0.2, 0], [0.6, 1, 0.2]).astype(np.float32)
            picture, *results, _ = ours.step(action)
            stock_picture, *stock_results, _ = stock.step(action)
            np.testing.assert_array_equal(picture, stock_picture)
            assert results == stock_results


@pytest.mark.parametrize("painted", [False, True])
def test_driven_laps_show_the_same_pixels(painted: bool, pursue: Driver) -> None:
    """Visited tiles change colour, wheels turn, the zoom moves, the score counts."""
    world = CarRacingWorld(renderer="exact")
    for seed in range(2):
        rng = np.random.default_rng(seed)
        scheme = draw_paper_colours(rng) if painted else ColourScheme()
        world.reset(seed=seed, options={"colours": scheme})
        for step in range(140):
            world.step(pursue(world, 4 * np.sin(step / 20)))
            if step % 4 == 0:
                assert world._renderer is not None
                np.testing.assert_array_equal(world._renderer.render(world), stock_picture(world))
        assert {tuple(tile.color) for tile in world.road if tile.road_visited} == {scheme.road}


def test_right_angles_and_the_rim_of_the_playfield() -> None:
    """Pygame rotates by quarter turns in another way; beyond the rim the picture is black."""
    world = CarRacingWorld(renderer="exact")
    world.reset(seed=0)
    for x, y in [(PLAYFIELD - 5, 0.0), (-PLAYFIELD, PLAYFIELD), (150.0, -PLAYFIELD + 30)]:
        for angle in (0.0, np.pi / 2, -np.pi / 2, np.pi, -3 * np.pi, 0.7, 4.0):
            for body in (world.car.hull, *world.car.wheels):
                body.position, body.angle = (x, y), angle
            for world.t in (0.0, 0.4, 2.0):
                assert world._renderer is not None
                picture = world._renderer.render(world)
                np.testing.assert_array_equal(picture, stock_picture(world))


def test_colours_are_those_of_gymnasiums_own_randomisation() -> None:
    scheme = draw_paper_colours(np.random.default_rng(5))
    stock = CarRacing(domain_randomize=True)
    stock.road_color, stock.bg_color, stock.grass_color = (
        np.array(colour) for colour in (scheme.road, scheme.background, scheme.grass)
    )
    world = CarRacingWorld(renderer="exact", colours=scheme)
    for seed in (1, 2):
        expected, _ = stock.reset(seed=seed, options={"randomize": False})
        np.testing.assert_array_equal(world.reset(seed=seed)[0], expected)
        for _ in range(30):
            action = np.array([0.2, 1.0, 0.0])
            np.testing.assert_array_equal(world.step(action)[0], stock.step(action)[0])


def test_worlds_in_turns_show_what_each_shows_alone(pursue: Driver) -> None:
    def drive(*worlds: CarRacingWorld) -> Frames:
        for world in worlds:
            world.reset(seed=1)
        for _ in range(60):
            pictures = [world.step(pursue(world))[0] for world in worlds]
        return pictures[0]

    first, second = CarRacingWorld(), CarRacingWorld(map="seed:9")
    np.testing.assert_array_equal(drive(first, second), drive(CarRacingWorld()))


def test_it_survives_the_end_of_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    watched = CarRacingWorld(render_mode="human", renderer="none")
    watched.reset(seed=0)
    watched.step(np.zeros(3))
    world = CarRacingWorld(renderer="exact")
    world.reset(seed=0)
    watched.close()
    picture = [world.step(np.array([0.0, 1.0, 0.0]))[0] for _ in range(20)][-1]
    stock = CarRacing()
    stock.reset(seed=0)
    expected = [stock.step(np.array([0.0, 1.0, 0.0]))[0] for _ in range(20)][-1]
    np.testing.assert_array_equal(picture, expected)


def test_pictures_are_new_arrays() -> None:
    world = CarRacingWorld(renderer="exact")
    first, _ = world.reset(seed=0)
    kept = first.copy()
    for _ in range(10):
        world.step(np.array([1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(first, kept)
    assert first.flags["C_CONTIGUOUS"]


def test_it_is_much_faster_than_gymnasium() -> None:
    """Well above twice even on a busy machine; benchmarks/world_speed.py measures it."""
    world = CarRacingWorld(renderer="none")
    world.reset(seed=0)
    from drive.carracing.exact_renderer import ExactRenderer  # noqa: PLC0415

    renderer = ExactRenderer()
    for _ in range(60):
        world.step(np.array([0.0, 0.5, 0.0]))
    gc.disable()
    ratios = []
    for _ in range(7):
        start = time.process_time()
        for _ in range(8):
            stock_picture(world)
        middle = time.process_time()
        for _ in range(8):
            renderer.render(world)
        ratios.append((middle - start) / (time.process_time() - middle))
    gc.enable()
    assert np.median(ratios) > 2
