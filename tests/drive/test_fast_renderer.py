"""The compiled picture against gymnasium's own and against SB3's wrapper, on the same world."""

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numba
import numpy as np
import pygame
import pytest
from gymnasium import spaces
from gymnasium.envs.box2d.car_racing import PLAYFIELD, CarRacing
from numpy.typing import NDArray
from stable_baselines3.common.atari_wrappers import WarpFrame

from drive.carracing import coverage
from drive.carracing.fast_renderer import FastRenderer

Image = NDArray[np.uint8]
World = Any
Kernel = Callable[[int], int]
Driver = Callable[[World, int], NDArray[np.float64]]


@pytest.fixture(scope="module")
def renderer() -> FastRenderer:
    return FastRenderer()


def pursue(world: World, step: int) -> NDArray[np.float64]:
    """Follows the centre line."""
    position = np.array(world.car.hull.position)
    centre = np.array(world.track)[:, 2:4]
    nearest = int(np.argmin(((centre - position) ** 2).sum(axis=1)))
    dx, dy = centre[(nearest + 5) % len(centre)] - position
    error = np.arctan2(dy, dx) - world.car.hull.angle - np.pi / 2
    error = (error + np.pi) % (2 * np.pi) - np.pi
    speed = np.hypot(*world.car.hull.linearVelocity)
    return np.array([np.clip(-2.0 * error, -1.0, 1.0), 0.6 if speed < 50.0 else 0.0, 0.0])


def leave_road(world: World, step: int) -> NDArray[np.float64]:
    """Full throttle and wild steering: grass, spins, skids, braking."""
    rng = np.random.default_rng([7, step // 10])
    return np.array([rng.uniform(-1, 1), rng.uniform(0.5, 1), float(rng.random() < 0.1)])


def worlds(seed: int, steps: int, driver: Driver, every: int) -> Iterator[World]:
    world = CarRacing()
    world.reset(seed=seed)
    for step in range(steps):
        if step % every == 0:
            yield world
        _draw_nothing_and_step(world, driver(world, step))


def _draw_nothing_and_step(world: World, action: NDArray[np.float64]) -> None:
    """A step without gymnasium's slow picture."""
    world._render = lambda _mode: None
    world.step(action)
    del world._render


def stock(world: World) -> Image:
    return np.asarray(world._render("state_pixels"), dtype=np.uint8)


def differences(renderer: FastRenderer, world: World) -> NDArray[np.int16]:
    return np.asarray(np.abs(renderer.render(world).astype(np.int16) - stock(world)))


@pytest.mark.parametrize(
    ("seed", "steps", "driver", "every"),
    [
        pytest.param(1, 50, pursue, 2, id="zoom"),
        pytest.param(2, 400, pursue, 10, id="road"),
        pytest.param(3, 400, leave_road, 10, id="grass"),
        pytest.param(2006, 300, pursue, 10, id="long track"),
    ],
)
def test_picture_is_close_to_gymnasiums(
    renderer: FastRenderer, seed: int, steps: int, driver: Driver, every: int
) -> None:
    seen = np.array([differences(renderer, w) for w in worlds(seed, steps, driver, every)])
    assert seen.mean() <= 0.05
    assert (seen > 16).mean() <= 1e-4
    assert (seen == 0).mean() >= 0.97


def wrapped_by_sb3(frame: Image) -> Image:
    class Shown(gymnasium.Env[Image, np.int64]):
        observation_space = spaces.Box(0, 255, (96, 96, 3), np.uint8)
        action_space = spaces.Discrete(1)

    return WarpFrame(Shown()).observation(frame)[..., 0]


def test_gray_picture_is_sb3s_warp_frame_of_the_rgb_picture(renderer: FastRenderer) -> None:
    for world in worlds(4, 120, leave_road, 6):
        expected = wrapped_by_sb3(renderer.render(world))
        np.testing.assert_array_equal(renderer.render_gray(world), expected)


def test_gray_picture_is_close_to_what_sb3_sees_of_gymnasium(renderer: FastRenderer) -> None:
    seen = np.array(
        [
            np.abs(renderer.render_gray(w).astype(np.int16) - wrapped_by_sb3(stock(w)))
            for w in worlds(5, 300, pursue, 10)
        ]
    )
    assert seen.mean() <= 0.05
    assert (seen > 16).mean() <= 1e-4


def move(world: World, x: float, y: float, angle: float) -> None:
    """Put the resting car somewhere else, wheels and all."""
    old_x, old_y = world.car.hull.position
    turn = angle - world.car.hull.angle
    c, s = np.cos(turn), np.sin(turn)
    for body in (*world.car.wheels, world.car.hull):
        dx, dy = body.position[0] - old_x, body.position[1] - old_y
        body.position = (x + c * dx - s * dy, y + s * dx + c * dy)
        body.angle += turn


@pytest.fixture
def world() -> World:
    """A world after the zoom of the first second."""
    made = CarRacing()
    made.reset(seed=42)
    made.t = 2.0
    return made


@pytest.mark.parametrize("angle", [0.0, 0.5, 2.0, np.pi / 2, np.pi, -2.5])
def test_world_beyond_the_playfield_is_black(
    renderer: FastRenderer, world: World, angle: float
) -> None:
    move(world, PLAYFIELD - 10.0, PLAYFIELD - 25.0, angle)
    seen = differences(renderer, world)
    assert (stock(world)[:84] == 0).all(axis=2).any()
    assert seen.mean() <= 0.05
    assert seen.max() <= 16


def test_visited_tiles_change_colour_after_the_first_picture(
    renderer: FastRenderer, world: World
) -> None:
    before = renderer.render(world)
    for tile in world.road[:4]:
        tile.color[:] = (0, 0, 255)  # as gymnasium's contact listener does, with another colour
    after = renderer.render(world)
    assert np.abs(after.astype(int) - before).max() > 100
    assert np.abs(after.astype(int) - stock(world)).mean() <= 0.1


def test_colours_of_the_world_are_used(renderer: FastRenderer) -> None:
    world = CarRacing(domain_randomize=True)
    for seed in range(3):
        world.reset(seed=seed)
        world.t = 2.0
        assert differences(renderer, world).mean() <= 0.05


def test_new_track_after_reset_is_drawn(renderer: FastRenderer, world: World) -> None:
    renderer.render(world)
    world.reset(seed=43)
    world.t = 2.0
    assert differences(renderer, world).mean() <= 0.05


def test_road_that_crosses_itself_is_drawn_in_order(renderer: FastRenderer, world: World) -> None:
    x, y = world.car.hull.position

    def bar(dx: float, dy: float) -> list[tuple[float, float]]:
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        return [(x + i * dx, y + j * dy) for i, j in signs]

    world.road_poly = [(bar(5.0, 17.0), (90, 90, 90)), (bar(17.0, 6.0), (255, 255, 255))]
    world.road_poly.append((bar(3.0, 3.0), (255, 0, 0)))
    seen = differences(renderer, world)
    assert seen.mean() <= 0.05
    assert (seen > 16).mean() <= 1e-3


def score_error(image: Image, world: World) -> int:
    """Largest error of the text: smoothscale sums up its rounding over all rows above."""
    return int(np.abs(image[84:, :12].astype(int) - stock(world)[84:, :12]).max())


@pytest.mark.parametrize(
    "reward", [-100.0, -12.3, -0.4, -0.6, 0.0, 7.5, 99.9, 462.5, 928.9, 1000.0]
)
def test_score_is_gymnasiums(renderer: FastRenderer, world: World, reward: float) -> None:
    world.reward = reward
    image = renderer.render(world)
    assert score_error(image, world) <= 1


def test_score_survives_a_restart_of_pygame(renderer: FastRenderer, world: World) -> None:
    world.reward = 111.0
    renderer.render(world)
    pygame.quit()
    world.reward = 222.0
    image = renderer.render(world)
    assert score_error(image, world) <= 1


@pytest.mark.parametrize(
    "omegas", [(0, 0, 0, 0), (1e-3, -1e-3, 0, 5), (50, 80, 300, 20), (-40, 60, -90, -10)]
)
@pytest.mark.parametrize("yaw_rate", [-4.0, 0.003, 2.2])
def test_indicators_are_gymnasiums(
    renderer: FastRenderer, world: World, omegas: tuple[float, ...], yaw_rate: float
) -> None:
    for wheel, omega in zip(world.car.wheels, omegas, strict=True):
        wheel.omega = omega
    world.car.wheels[0].angle = world.car.hull.angle + 0.1 * yaw_rate  # steers
    world.car.hull.angularVelocity = yaw_rate
    world.car.hull.linearVelocity = (30.0 * yaw_rate, 20.0)
    seen = differences(renderer, world)[84:]
    assert seen.max() <= 1


def test_rendering_leaves_no_trace(renderer: FastRenderer, world: World) -> None:
    first = renderer.render(world)
    kept = first.copy()
    other = CarRacing()
    other.reset(seed=1)
    renderer.render(other)
    np.testing.assert_array_equal(renderer.render(world), kept)
    np.testing.assert_array_equal(first, kept)


def test_kernels_compile_where_nothing_can_be_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*, cache: bool = False, **_options: str) -> Callable[[Kernel], Kernel]:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return numba.njit

    monkeypatch.setattr(coverage, "njit", read_only)
    assert coverage.compiled(lambda x: x + 1)(2) == 3
