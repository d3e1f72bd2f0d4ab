"""Gray frames coloured by a table against the same drive through a world in these colours."""

import cv2
import gymnasium
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import drive.carracing  # noqa: F401 - registers the world
from drive.carracing.colours import ColourScheme, draw_paper_colours
from drive.carracing.observations import warp_frame
from policies import encoders
from policies.augmentation import DASHBOARD_ROW
from policies.colouring import coloured_by, draw_scheme, grass_share
from policies.colouring_config import Colouring

Frames = NDArray[np.uint8]


def pictures(scheme: ColourScheme) -> Frames:
    """RGB, (time, 96, 96, 3), of a car that drives straight ahead off the road."""
    env = gymnasium.make(
        "nsac/CarRacing-v0", renderer="exact", map="seed:7", disable_env_checker=True
    )
    frame, _ = env.reset(seed=0, options={"colours": scheme})
    frames = [frame, *(env.step(np.array([0.0, 0.4, 0.0]))[0] for _ in range(120))]
    env.close()
    return np.array(frames[60::10])


def shrunk(frames: Frames) -> Frames:
    return np.array([cv2.resize(f, (84, 84), interpolation=cv2.INTER_AREA) for f in frames])


@pytest.fixture(scope="module")
def usual() -> Frames:
    return pictures(ColourScheme())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_coloured_frame_is_what_the_world_in_these_colours_shows(
    usual: Frames, seed: int
) -> None:
    scheme = draw_paper_colours(np.random.default_rng(seed))
    gray = np.array([warp_frame(frame) for frame in usual])
    wanted = shrunk(pictures(scheme))[:, :DASHBOARD_ROW].astype(int)
    off = np.abs(coloured_by(gray, scheme)[:, :DASHBOARD_ROW] - wanted).mean(axis=-1)
    assert np.percentile(off, 90) < 8  # of 255; kerbs and the car's edges are guesses
    assert off.mean() < 5
    uncoloured = np.abs(shrunk(usual)[:, :DASHBOARD_ROW].astype(int) - wanted)
    assert off.mean() < 0.2 * uncoloured.mean()


def test_the_dashboard_stays_gray(usual: Frames) -> None:
    gray = np.array([warp_frame(frame) for frame in usual])[None]
    rng = np.random.default_rng(0)
    coloured = Colouring(recolour=1.0, noise=1.0, bars=1.0, square=1.0)(gray, rng)
    assert coloured.shape == (*gray.shape, 3)
    assert (coloured[:, :, DASHBOARD_ROW:] == gray[:, :, DASHBOARD_ROW:, :, None]).all()


def test_without_changes_the_colours_are_gymnasiums(usual: Frames) -> None:
    gray = np.array([warp_frame(frame) for frame in usual])[None]
    coloured = Colouring()(gray, np.random.default_rng(0))[0]
    assert np.array_equal(coloured, coloured_by(gray[0], ColourScheme()))


def test_noise_covers_the_grass_and_nothing_else(usual: Frames) -> None:
    gray = np.array([warp_frame(frame) for frame in usual])[None]
    plain = Colouring()(gray, np.random.default_rng(0))
    noisy = Colouring(noise=1.0)(gray, np.random.default_rng(0))
    changed = (plain != noisy).any(axis=-1)[:, :, :DASHBOARD_ROW]
    grass = grass_share(gray[:, :, :DASHBOARD_ROW])
    assert changed[grass > 0.5].mean() > 0.95
    assert not changed[grass == 0].any()
    values = noisy[0][:, :DASHBOARD_ROW][grass[0] == 1].astype(float)
    assert abs(values.mean() - 127.5) < 3
    in_turn = noisy[0, 0] != noisy[0, 1]
    assert in_turn.any(axis=-1)[:DASHBOARD_ROW][(grass[0, :2] == 1).all(axis=0)].mean() > 0.95


def test_bars_are_black_on_both_sides(usual: Frames) -> None:
    gray = np.array([warp_frame(frame) for frame in usual])[None]
    barred = Colouring(bars=1.0)(gray, np.random.default_rng(0))[0, :, :DASHBOARD_ROW]
    width = int((barred == 0).all(axis=(0, 1, 3)).argmin())
    assert 1 <= width <= 9
    assert (barred[:, :, -width:] == 0).all()


def test_half_of_the_schemes_stay_near_the_usual_colours() -> None:
    rng = np.random.default_rng(0)
    schemes = [draw_scheme(rng) for _ in range(400)]
    usual = ColourScheme()
    near = [np.abs(np.subtract(s.road, usual.road)).max() <= 51.0 for s in schemes]
    assert 0.5 < np.mean(near) < 0.7  # the paper's test draws some of these, too
    kept = [s.grass == usual.grass for s in schemes]
    assert 0.3 < np.mean(kept) < 0.45


def test_a_share_beyond_one_is_refused() -> None:
    with pytest.raises(ValueError, match=r"colouring.bars must lie in \[0, 1\], not 1.5"):
        Colouring(bars=1.5).check()


def test_the_encoder_shrinks_as_opencv_does(usual: Frames) -> None:
    encoder = encoders.build("colour")
    scaled = encoder.scale(torch.from_numpy(usual))
    assert np.abs(255 * scaled.numpy() - shrunk(usual)).max() <= 0.51  # OpenCV rounds


def test_a_channels_contrast_does_not_matter(usual: Frames) -> None:
    encoder = encoders.build("colour")
    assert isinstance(encoder, encoders.ColourEncoder)
    frames = encoder.scale(torch.from_numpy(usual))
    faint = frames.clone()
    faint[:, :DASHBOARD_ROW] = 0.3 + 0.2 * faint[:, :DASHBOARD_ROW]
    once, again = encoder.equalised(frames), encoder.equalised(faint)
    assert (frames - faint).abs().mean() > 0.05
    assert (once - again).abs().mean() < 0.02
