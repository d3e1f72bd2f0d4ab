"""What a person sees; drawn without a display."""

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest

from drive.carracing.world import CarRacingWorld
from recorders.human import messages
from recorders.human.cockpit import View
from recorders.human.instruments import AMBER, BLUE, GREEN, RED, STRIP, TROUGH, WHITE, Instruments
from recorders.human.session import Phase, State
from recorders.human.windscreen import SIZE, Windscreen

VIEW = View(
    state=State(Phase.DRIVING),
    title="episode 1 of 2, oval",
    steps=617,
    limit=3000,
    outcome="",
    info={"speed": 41.6, "progress": 0.5},
    driven=np.array([-0.2, 0.5, 0.0], np.float32),
    pace=50.0,
    wanted=50.0,
    held=True,
    left_out=0,
    discard_seconds=5.0,
)


def test_the_driver_sees_gymnasiums_picture_with_the_marks_of_the_tyres() -> None:
    env = gymnasium.make("nsac/CarRacing-v0", renderer="none", render_mode="rgb_array")
    env.reset(seed=3)
    for step in range(120):
        env.step(np.array([0.6 * (step > 60), 1, 0], np.float32))
    world = env.unwrapped
    assert isinstance(world, CarRacingWorld)
    seen = pygame.surfarray.array3d(Windscreen().picture(world))
    assert len(world.car.particles) > 0
    env.render()
    expected = pygame.surfarray.array3d(world.surf)
    np.testing.assert_array_equal(seen[:, : STRIP.top], expected[:, : STRIP.top])
    env.close()


def test_the_bars_show_lap_wheel_and_pedals() -> None:
    surface = pygame.Surface(SIZE)
    Instruments().draw(surface, VIEW)
    row = STRIP.top + 57

    def colour(column: int) -> tuple[int, ...]:
        return tuple(surface.get_at((column, row)))[:3]

    # Half a lap of 310-520, half a lock to the left of 560-760, half the gas of 800-880.
    assert [colour(x) for x in (312, 413, 417, 518)] == [BLUE, BLUE, TROUGH, TROUGH]
    assert [colour(x) for x in (607, 613, 658, 663)] == [TROUGH, WHITE, WHITE, TROUGH]
    assert [colour(x) for x in (838, 842, 891)] == [GREEN, TROUGH, TROUGH]


@pytest.mark.parametrize(("phase", "lamp"), [(Phase.DRIVING, RED), (Phase.WAITING, AMBER)])
def test_a_lamp_tells_whether_what_is_driven_is_recorded(
    phase: Phase, lamp: tuple[int, int, int]
) -> None:
    surface = pygame.Surface(SIZE)
    Instruments().draw(surface, replace(VIEW, state=State(phase)))
    assert tuple(surface.get_at((28, 24)))[:3] == lamp


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "50 steps/s"),
        ({"left_out": 12}, "pictures left out: 12/s"),
        ({"held": False, "pace": 38.2}, "too slow: 38 of 50 steps/s"),
    ],
)
def test_a_pace_that_is_not_held_is_told(changes: dict[str, Any], words: str) -> None:
    assert messages.pace(replace(VIEW, **changes)) == words


def test_every_page_fits_into_the_window() -> None:
    instruments = Instruments()
    for phase in Phase:
        for outcome in (*messages.OUTCOMES, ""):
            view = replace(VIEW, state=State(phase), outcome=outcome, discard_seconds=12.5)
            page = messages.page(view)
            assert (page is None) == (phase is Phase.DRIVING)
            if page is not None:
                width, height = instruments.panel(page).get_size()
                assert width <= SIZE[0]
                assert height <= STRIP.top
