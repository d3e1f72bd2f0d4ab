import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import CarRacing

from drive.carracing.colours import ColourScheme, draw_paper_colours
from drive.carracing.world import CarRacingWorld


def test_the_default_is_gymnasiums() -> None:
    stock, scheme = CarRacing(), ColourScheme()
    assert scheme.road == tuple(stock.road_color)
    assert scheme.background == tuple(stock.bg_color)
    assert scheme.grass == tuple(stock.grass_color)


def test_paper_colours_are_drawn_as_gymnasium_draws_its_own() -> None:
    stock = CarRacing(domain_randomize=True)
    stock.np_random = np.random.default_rng(5)
    stock._reinit_colors(True)  # type: ignore[no-untyped-call]
    scheme = draw_paper_colours(np.random.default_rng(5))
    assert scheme.road == tuple(stock.road_color)
    assert scheme.background == tuple(stock.bg_color)
    assert scheme.grass == tuple(stock.grass_color)


def test_paper_colours_have_the_stated_distribution() -> None:
    rng = np.random.default_rng(0)
    schemes = [draw_paper_colours(rng) for _ in range(2000)]
    roads = np.array([scheme.road for scheme in schemes])
    assert 0 <= roads.min() < 1
    assert 209 < roads.max() < 210
    np.testing.assert_allclose(roads.mean(axis=0), 105, atol=6)
    steps = np.array([scheme.grass for scheme in schemes])
    steps -= [scheme.background for scheme in schemes]
    np.testing.assert_allclose(np.sort(steps, axis=1), [[0, 0, 20]] * 2000, atol=1e-9)
    np.testing.assert_allclose((steps > 10).mean(axis=0), 1 / 3, atol=0.05)


@pytest.mark.parametrize("colour", [(1, 2), (1, 2, 256), (-1, 0, 0), (float("nan"), 0, 0)])
def test_impossible_colours_are_refused(colour: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"grass colour: three numbers in \[0, 255\]"):
        ColourScheme(grass=colour)


@pytest.mark.parametrize("renderer", ["exact", "fast"])
def test_both_renderers_show_the_colours_of_the_lap(renderer: str) -> None:
    blue = ColourScheme(road=(10, 20, 200), background=(200, 30, 40), grass=(200, 90, 40))
    world = CarRacingWorld(renderer=renderer)  # type: ignore[arg-type]
    world.reset(seed=0, options={"colours": blue})
    for _ in range(70):
        picture = world.step(np.array([0.0, 0.2, 0.0]))[0].astype(int)
    assert np.abs(picture[78, 48] - [10, 20, 200]).max() <= 8, "road behind the car"
    assert np.abs(picture[70, 5, [0, 2]] - [200, 40]).max() <= 3, "field beside it"
    world.reset(seed=0)
    assert np.array_equal(world.bg_color, [102, 204, 102]), "for one lap only"
