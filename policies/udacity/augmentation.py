"""Augments camera frames: three cameras, mirror, shift, shadow, brightness (Shibuya 2017).

Every change keeps what the picture says about the road, and moves the steering where the road in
the picture moves. Each is a function of a picture and of the numbers drawn for it, so that it can
be checked against its formula; ``CameraAugmentation`` draws them.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.udacity.frame_shape import HEIGHT, WIDTH, Frame
from policies.udacity.augmentation_config import CameraAugmentation
from policies.udacity.view import FIRST_ROW, LAST_ROW, Cameras, View

_LIGHTNESS, _VALUE = 1, 2
"""Channels of OpenCV's HLS and HSV."""


def sample(
    augmentation: CameraAugmentation, cameras: Cameras, steering: float, rng: np.random.Generator
) -> tuple[View, float]:
    """One sample for training.

    Args:
        augmentation: What is changed at random.
        cameras: Of the moment; the first, the centre's, is there.
        steering: Of the moment.
        rng: Source of all draws.

    Returns:
        The visible rows of the frame, and the steering that suits them.
    """
    if rng.random() >= augmentation.probability:
        return seen(frame_of(cameras, 0)), steering
    chosen = int(rng.choice([i for i, camera in enumerate(cameras) if camera is not None]))
    frame = frame_of(cameras, chosen)
    steering += (0.0, augmentation.side_steering, -augmentation.side_steering)[chosen]
    if rng.random() < augmentation.mirror:
        frame, steering = mirrored(frame), -steering
    columns = augmentation.shift_columns * (rng.random() - 0.5)
    rows = augmentation.shift_rows * (rng.random() - 0.5)
    frame, steering = (
        shifted(frame, columns, rows),
        steering + augmentation.shift_steering * columns,
    )
    view = seen(frame).copy()
    start, end = (WIDTH * rng.random(2)).tolist()
    darken(view, start, end, bool(rng.integers(2)), rng.uniform(*augmentation.shadow))
    brighten(view, 1.0 + augmentation.brightness * (rng.random() - 0.5))
    return view, steering


def frame_of(cameras: Cameras, number: int) -> Frame:
    """The frame of a camera that is there."""
    load = cameras[number]
    assert load is not None
    return load()


def seen(frame: Frame) -> View:
    """The rows that the network sees."""
    return frame[FIRST_ROW:LAST_ROW]


def mirrored(frame: Frame) -> Frame:
    """Left and right exchanged."""
    return np.asarray(cv2.flip(frame, 1), dtype=np.uint8)


def shifted(frame: Frame, columns: float, rows: float) -> Frame:
    """The picture moved to the right and down, black where it came from."""
    matrix = np.array([[1.0, 0.0, columns], [0.0, 1.0, rows]])
    return np.asarray(cv2.warpAffine(frame, matrix, (WIDTH, HEIGHT)), dtype=np.uint8)


def darken(view: View, start: float, end: float, below: bool, factor: float) -> None:
    """Multiplies the lightness on one side of a line through the frame, in place.

    The original takes rows for columns, so its line runs from the frame's left edge to its column
    160, from one height to another, each drawn from 0 to 320, the width: for half the frames the
    line passes below the picture, and all or none of it is dark.

    Args:
        view: The visible rows.
        start: Row of the line in column 0.
        end: Row of the line in column 160.
        below: Whether what lies on or below the line is darkened, else what lies above it.
        factor: Of the lightness.
    """
    rows = np.arange(FIRST_ROW, LAST_ROW)[:, None]
    above = np.arange(WIDTH) * (end - start) - HEIGHT * (rows - start) > 0
    _scale(view, above != below, (cv2.COLOR_RGB2HLS, cv2.COLOR_HLS2RGB), _LIGHTNESS, factor)


def brighten(view: View, factor: float) -> None:
    """Multiplies the value of HSV, in place, up to white; the original wraps round to black."""
    everywhere = np.ones(view.shape[:2], dtype=bool)
    _scale(view, everywhere, (cv2.COLOR_RGB2HSV, cv2.COLOR_HSV2RGB), _VALUE, factor)


def _scale(
    view: View, where: NDArray[np.bool_], codes: tuple[int, int], channel: int, factor: float
) -> None:
    """Multiplies a channel of another colour space."""
    there, back = codes
    colours = cv2.cvtColor(view, there)
    table = np.clip(np.arange(256) * factor, 0, 255).astype(np.uint8)
    plane = colours[..., channel]
    plane[where] = table[plane[where]]
    view[:] = cv2.cvtColor(colours, back)
