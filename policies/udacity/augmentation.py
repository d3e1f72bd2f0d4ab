"""Augments camera frames: three cameras, mirror, shift, shadow, brightness (Shibuya 2017).

Every change keeps what the picture says about the road, and moves the steering where the road in
the picture moves. Each is a function of a picture and of the numbers drawn for it, so that it can
be checked against its formula; ``CameraAugmentation`` draws them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.udacity.frames import HEIGHT, WIDTH, Frame
from policies.udacity.preprocessing import FIRST_ROW, LAST_ROW

View = NDArray[np.uint8]
"""The visible rows of a frame, RGB ``(75, 320, 3)``."""

Cameras = tuple[Callable[[], Frame] | None, ...]
"""Loads the frame of the centre, the left and the right camera; None where there is none."""

_LIGHTNESS, _VALUE = 1, 2
"""Channels of OpenCV's HLS and HSV."""


@dataclass(frozen=True)
class CameraAugmentation:
    """Random changes of training frames; the defaults are the paper's.

    Attributes:
        probability: That a sample is changed at all; otherwise it is the centre camera's frame.
        side_steering: Added to the steering with the left camera's frame, subtracted with the
            right one's: what leads a car that stands beside its line back to it.
        mirror: Probability that a frame is mirrored and its steering negated.
        shift_columns: Range of the shift to the sides, in pixels: half of it either way.
        shift_rows: Range of the shift up and down, likewise.
        shift_steering: Added to the steering for each pixel of shift to the right.
        shadow: Least and largest factor of the lightness on one side of a random line.
        brightness: Range of the relative change of the brightness: half of it either way.
    """

    probability: float = 0.6
    side_steering: float = 0.2
    mirror: float = 0.5
    shift_columns: float = 100.0
    shift_rows: float = 10.0
    shift_steering: float = 0.002
    shadow: tuple[float, float] = (0.2, 0.5)
    brightness: float = 0.4

    def check(self) -> None:
        """Checks the fields.

        Raises:
            ValueError: A probability is not in [0, 1], a shadow not ordered in it, or a range
                negative.
        """
        for name in ("probability", "mirror"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(
                    f"augmentation.{name} must lie in [0, 1], not {getattr(self, name)}"
                )
        if not 0 <= self.shadow[0] <= self.shadow[1] <= 1:
            raise ValueError(f"augmentation.shadow must rise within [0, 1], not {self.shadow}")
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name != "shadow" and not 0 <= value < math.inf:
                raise ValueError(
                    f"augmentation.{entry.name} must be finite and not negative, not {value}"
                )

    def __call__(
        self, cameras: Cameras, steering: float, rng: np.random.Generator
    ) -> tuple[View, float]:
        """One sample for training.

        Args:
            cameras: Of the moment; the first, the centre's, is there.
            steering: Of the moment.
            rng: Source of all draws.

        Returns:
            The visible rows of the frame, and the steering that suits them.
        """
        if rng.random() >= self.probability:
            return seen(frame_of(cameras, 0)), steering
        chosen = int(rng.choice([i for i, camera in enumerate(cameras) if camera is not None]))
        frame = frame_of(cameras, chosen)
        steering += (0.0, self.side_steering, -self.side_steering)[chosen]
        if rng.random() < self.mirror:
            frame, steering = mirrored(frame), -steering
        columns = self.shift_columns * (rng.random() - 0.5)
        rows = self.shift_rows * (rng.random() - 0.5)
        frame, steering = shifted(frame, columns, rows), steering + self.shift_steering * columns
        view = seen(frame).copy()
        start, end = (WIDTH * rng.random(2)).tolist()
        darken(view, start, end, bool(rng.integers(2)), rng.uniform(*self.shadow))
        brighten(view, 1.0 + self.brightness * (rng.random() - 0.5))
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
