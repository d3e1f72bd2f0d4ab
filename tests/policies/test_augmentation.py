"""The mirror, shifts and brightness against plain arithmetic, colours against recoloured worlds."""

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from drive.carracing.colours import ColourScheme, draw_paper_colours
from evaluation.lane import WORLD
from policies.augmentation import (
    DASHBOARD_ROW,
    brighten,
    displace,
    draw_levels,
    levels_of,
    mirror,
    recolour,
)
from policies.augmentation_config import Augmentation


@pytest.fixture
def frames() -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (5, 84, 84), dtype=np.uint8)


def test_the_mirror_turns_the_view_and_is_its_own_inverse(frames: NDArray[np.uint8]) -> None:
    turned = frames.copy()
    mirror(turned)
    assert np.array_equal(turned[:, :DASHBOARD_ROW], frames[:, :DASHBOARD_ROW, ::-1])
    mirror(turned)
    assert np.array_equal(turned, frames)


def test_score_speed_and_wheels_of_the_dashboard_stay(frames: NDArray[np.uint8]) -> None:
    turned = frames.copy()
    mirror(turned)
    assert np.array_equal(turned[:, DASHBOARD_ROW:, :31], frames[:, DASHBOARD_ROW:, :31])


def test_a_shift_moves_all_but_the_dashboard(frames: NDArray[np.uint8]) -> None:
    moved = frames.copy()
    displace(moved, down=2, right=-1)
    assert np.array_equal(moved[:, 2:DASHBOARD_ROW, :-1], frames[:, : DASHBOARD_ROW - 2, 1:])
    assert np.array_equal(moved[:, :2, :-1], frames[:, [0, 0], 1:])
    assert np.array_equal(moved[:, DASHBOARD_ROW:], frames[:, DASHBOARD_ROW:])


@pytest.mark.parametrize("gain", [0.8, 1.0, 1.1])
def test_brightness_multiplies_within_a_byte(frames: NDArray[np.uint8], gain: float) -> None:
    bright = frames.copy()
    brighten(bright, gain)
    assert np.array_equal(bright, np.clip(np.rint(frames * gain), 0, 255))


def test_the_steering_follows_the_mirror() -> None:
    rng = np.random.default_rng(2)
    frames = rng.integers(0, 256, (40, 6, 84, 84), dtype=np.uint8)
    actions = rng.uniform(0.1, 1.0, (40, 3, 3)).astype(np.float32)
    before, wanted = frames.copy(), actions.copy()
    Augmentation(mirror=0.5, shift=0, brightness=0.0)(frames, actions, rng)
    mirrored = np.array([not np.array_equal(a, b) for a, b in zip(frames, before, strict=True)])
    assert 5 < mirrored.sum() < 35
    assert (actions[mirrored, :, 0] == -wanted[mirrored, :, 0]).all()
    assert (actions[~mirrored] == wanted[~mirrored]).all()
    assert (actions[..., 1:] == wanted[..., 1:]).all()


def test_nothing_changes_without_augmentation(frames: NDArray[np.uint8]) -> None:
    batch, actions = frames[None].copy(), np.ones((1, 2, 3), np.float32)
    Augmentation(mirror=0.0, shift=0, brightness=0.0)(batch, actions, np.random.default_rng(0))
    assert np.array_equal(batch[0], frames)
    assert (actions == 1).all()


def lap(colours: ColourScheme) -> NDArray[np.uint8]:
    """Every tenth frame of a drive past kerbs and into the field, exact renderer."""
    env = gymnasium.make(
        WORLD,
        disable_env_checker=True,
        renderer="exact",
        observation="gray84",
        colours=colours,
    )
    frame, _ = env.reset(seed=3)
    frames = [frame]
    for step in range(160):
        frame = env.step(np.array([-0.15 if step > 90 else 0.0, 0.4, 0.0], np.float32))[0]
        frames.append(frame)
    env.close()
    return np.stack(frames[::10]).reshape(-1, 84, 84)


def shown(colour: tuple[float, float, float]) -> float:
    """The gray level of a colour in gymnasium's picture: whole bytes, and 2 darker than those."""
    return float(np.dot(np.maximum(np.floor(colour) - 2, 0), [0.299, 0.587, 0.114]))


@pytest.mark.parametrize("seed", range(3))
def test_new_levels_are_the_picture_of_the_recoloured_world(seed: int) -> None:
    colours = draw_paper_colours(np.random.default_rng(seed))
    clean, wanted = lap(ColourScheme()), lap(colours)
    made = clean.copy()
    recolour(made, levels_of(shown(colours.road), shown(colours.background), shown(colours.grass)))
    error = np.abs(made.astype(int) - wanted.astype(int))
    assert error.mean() < 0.5
    assert (error > 16).mean() < 0.01
    assert np.abs(clean.astype(int) - wanted.astype(int)).mean() > 10
    assert np.array_equal(made[:, DASHBOARD_ROW:], wanted[:, DASHBOARD_ROW:])


def test_the_levels_drawn_hold_all_that_the_papers_colours_can_be() -> None:
    rng = np.random.default_rng(0)
    tables = np.stack([draw_levels(rng) for _ in range(4000)])
    drawn = np.stack([tables[:, level].astype(float) for level in (100, 160, 175)])
    for _ in range(300):
        scheme = draw_paper_colours(rng)
        wanted = [shown(scheme.road), shown(scheme.background), shown(scheme.grass)]
        assert np.abs(drawn.T - wanted).max(axis=1).min() < 12
    assert 0.4 < (drawn[0] > drawn[1]).mean() < 0.6  # the road is as often the lighter


def test_a_window_has_one_colour_and_the_share_is_kept() -> None:
    frames = np.broadcast_to(np.arange(84, dtype=np.uint8) * 3, (400, 2, 84, 84)).copy()
    before, actions = frames.copy(), np.ones((400, 1, 3), np.float32)
    still = Augmentation(mirror=0.0, shift=0, brightness=0.0, recolour=0.25)
    still(frames, actions, np.random.default_rng(0))
    assert np.array_equal(frames[:, 0], frames[:, 1])
    changed = (frames != before).any(axis=(1, 2, 3))
    assert 70 < changed.sum() < 130
    assert len(np.unique(frames[changed, 0, 0, 40])) > 20
