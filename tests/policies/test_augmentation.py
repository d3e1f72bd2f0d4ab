"""The mirror against the mirrored world, shifts and brightness against plain arithmetic."""

import numpy as np
import pytest
from numpy.typing import NDArray

from policies.augmentation import DASHBOARD_ROW, Augmentation, brighten, displace, mirror


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
