"""The augmentation is the paper's: each formula against a transcription that shares no code."""

import colorsys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from drive.udacity.frame_shape import FRAME_SHAPE, Frame
from policies.udacity import augmentation
from policies.udacity.augmentation_config import CameraAugmentation

WIDTH, HEIGHT = 320, 160


def scene(seed: int) -> Frame:
    """A smooth picture in many colours."""
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(0, 255, (8, 16, 3))
    smooth = ndimage.zoom(coarse, (20, 20, 1), order=1, mode="nearest", grid_mode=True)
    return np.asarray(np.clip(smooth, 0, 255), dtype=np.uint8)


def lightness_scaled(rgb: NDArray[np.uint8], factor: float) -> NDArray[np.float64]:
    hue, light, saturation = colorsys.rgb_to_hls(*(rgb / 255.0))
    return 255 * np.array(colorsys.hls_to_rgb(hue, light * factor, saturation))


def value_scaled(rgb: NDArray[np.uint8], factor: float) -> NDArray[np.float64]:
    hue, saturation, value = colorsys.rgb_to_hsv(*(rgb / 255.0))
    return 255 * np.array(colorsys.hsv_to_rgb(hue, saturation, min(1.0, value * factor)))


class Script:
    """A generator whose numbers are given: uniform ones in [0, 1), then whole ones."""

    def __init__(self, numbers: list[float], choice: int = 0, side: int = 0) -> None:
        self.numbers, self.choices, self.side = list(numbers), choice, side

    def random(self, size: int | None = None) -> Any:  # noqa: ANN401
        if size is None:
            return self.numbers.pop(0)
        return np.array([self.numbers.pop(0) for _ in range(size)])

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * self.numbers.pop(0)

    def choice(self, options: list[int]) -> int:
        return options[self.choices]

    def integers(self, high: int) -> int:
        assert high == 2
        return self.side


def transcribed(
    frames: list[Frame], steering: float, u: list[float], choice: int, side: int
) -> tuple[NDArray[np.float64], float]:
    """The paper's steps 1 to 5 and its crop, for every fifth pixel of every fifth row."""
    image = frames[choice].astype(np.float64)
    steering += [0.0, 0.2, -0.2][choice]
    if u[1] < 0.5:
        image, steering = image[:, ::-1], -steering
    x, y = 100 * (u[2] - 0.5), 10 * (u[3] - 0.5)
    image = ndimage.shift(image, (y, x, 0), order=1, mode="grid-constant", prefilter=False)
    steering += 0.002 * x
    x1, x2 = WIDTH * u[4], WIDTH * u[5]
    factor = 0.2 + 0.3 * u[6]
    ratio = 1.0 + 0.4 * (u[7] - 0.5)
    result = np.empty((15, WIDTH // 5, 3))
    for row in range(60, HEIGHT - 25, 5):
        for column in range(0, WIDTH, 5):
            pixel = np.round(image[row, column]).astype(np.uint8)
            mask = (column - 0) * (x2 - x1) - HEIGHT * (row - x1) > 0
            if mask == side:
                pixel = np.round(lightness_scaled(pixel, factor)).astype(np.uint8)
            result[(row - 60) // 5, column // 5] = value_scaled(pixel, ratio)
    return result, steering


@pytest.mark.parametrize(
    ("seed", "choice", "side", "flip"), [(0, 0, 0, 0.7), (1, 1, 1, 0.2), (2, 2, 0, 0.4)]
)
def test_the_pipeline_is_the_papers(seed: int, choice: int, side: int, flip: float) -> None:
    frames = [scene(10 * seed + camera) for camera in range(3)]
    rng = np.random.default_rng(seed)
    shares = rng.random(6)
    columns, rows = 8 * rng.integers(1, 12) / 100, 0.5 + rng.integers(-4, 5) / 10
    # Shifts by whole pixels: OpenCV rounds others to 1/32 of one.
    u = [0.1, flip, columns + 0.02, rows, 0.4 * shares[0], 0.4 * shares[1], shares[2], shares[3]]
    expected, expected_steering = transcribed(frames, 0.03, u, choice, side)
    script: Any = Script(u, choice, 1 - side)
    cameras = tuple((lambda frame=frame: frame) for frame in frames)
    view, steering = CameraAugmentation()(cameras, 0.03, script)
    assert script.numbers == []
    assert steering == pytest.approx(expected_steering)
    # OpenCV keeps hues to 2 degrees and lightness to 1/255.
    shown = view[::5, ::5]
    error = np.abs(shown - expected)
    assert np.median(error) <= 1.5
    assert np.quantile(error, 0.999) <= 8
    assert np.abs(shown.mean(axis=(0, 1)) - expected.mean(axis=(0, 1))).max() < 1.5
    assert shown.std() > 20


def test_a_shift_by_a_share_of_a_pixel_mixes_neighbours() -> None:
    ramp = np.broadcast_to((np.arange(WIDTH) // 2)[None, :, None], FRAME_SHAPE).astype(np.uint8)
    moved = augmentation.shifted(ramp, 10.5, -3.25)
    expected = ndimage.shift(ramp.astype(float), (-3.25, 10.5, 0), order=1, prefilter=False)
    assert np.abs(moved[:150, 20:300] - expected[:150, 20:300]).max() <= 1


def test_what_moves_in_from_outside_is_black() -> None:
    white = np.full(FRAME_SHAPE, 255, np.uint8)
    moved = augmentation.shifted(white, 30, 4)
    assert not moved[:, :30].any()
    assert not moved[:4].any()
    assert (moved[4:, 30:] == 255).all()


def test_brightness_ends_at_white() -> None:
    view = np.full((75, 320, 3), 240, np.uint8)
    augmentation.brighten(view, 1.2)
    assert (view == 255).all()


@pytest.mark.parametrize("below", [True, False])
def test_a_shadow_lies_on_its_side_of_the_line(below: bool) -> None:
    view = np.full((75, 320, 3), 200, np.uint8)
    augmentation.darken(view, 100.0, 100.0, below, 0.5)
    levels = view[:, 0, 0]
    dark = np.flatnonzero(levels < 150) + 60
    assert (dark.min(), dark.max()) == ((100, 134) if below else (60, 99))
    assert levels.min() == pytest.approx(100, abs=1)


def test_two_samples_in_five_are_the_centre_cameras_own() -> None:
    levels = (50, 100, 150)
    cameras = tuple((lambda level=level: np.full(FRAME_SHAPE, level, np.uint8)) for level in levels)
    rng = np.random.default_rng(5)
    samples = [CameraAugmentation()(cameras, 0.1, rng) for _ in range(1500)]
    untouched = [steering == 0.1 and (view == 50).all() for view, steering in samples]
    assert np.mean(untouched) == pytest.approx(0.4, abs=0.04)
    changed = np.array(
        [steering for (_, steering), same in zip(samples, untouched, strict=True) if not same]
    )
    # Mirrored or not, from three cameras and shifted by up to 50 pixels: symmetric about 0.
    assert changed.mean() == pytest.approx(0, abs=0.02)
    assert changed.var() == pytest.approx(0.1**2 + 2 / 3 * 0.2**2 + 0.2**2 / 12, abs=0.004)


def test_without_side_cameras_the_centre_is_chosen_always() -> None:
    quiet = CameraAugmentation(probability=1, mirror=0, shift_steering=0)
    rng = np.random.default_rng(6)
    cameras = (lambda: scene(0), None, None)
    assert {quiet(cameras, 0.3, rng)[1] for _ in range(20)} == {0.3}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"probability": 1.5}, "probability"),
        ({"mirror": -0.1}, "mirror"),
        ({"shadow": (0.6, 0.5)}, "shadow"),
        ({"shift_rows": -1.0}, "shift_rows"),
        ({"shift_columns": float("nan")}, "shift_columns"),
        ({"brightness": float("inf")}, "brightness"),
    ],
)
def test_a_field_out_of_range_is_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        CameraAugmentation(**options).check()
