"""Augments windows of gray frames: the mirror, small shifts, brightness.

A track is driven counter-clockwise, so right turns are rare: the mirror makes them as frequent as
left ones. Shifts and brightness teach the policy to ignore what differs between two renderers. All
frames of a window are changed alike, since their motion carries the speed.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

DASHBOARD_ROW = 74
"""First row of the 84 that shows the dashboard (the bottom 12 of 96 rows, and the row they share
with the picture)."""

_STEERING_BAR = (31, 53)
_GYROSCOPE_BAR = (53, 73)
"""Columns of the two bars that grow to both sides of their middle, and so mirror there (gymnasium
draws them about 20/40 and 30/40 of the picture's width)."""


@dataclass(frozen=True)
class Augmentation:
    """Random changes of the training pictures.

    Attributes:
        mirror: Probability that a window is mirrored and its steering negated.
        shift: Largest shift in pixels, up or down and left or right, of all but the dashboard.
        brightness: Largest relative change of brightness.
    """

    mirror: float = 0.5
    shift: int = 1
    brightness: float = 0.05

    def __call__(
        self, frames: NDArray[np.uint8], actions: NDArray[np.float32], rng: np.random.Generator
    ) -> None:
        """Changes a batch in place.

        Args:
            frames: ``(batch, time, 84, 84)``.
            actions: ``(batch, window, 3)``; steering comes first.
            rng: Source of all draws.
        """
        n = len(frames)
        mirrored = rng.random(n) < self.mirror
        shifts = rng.integers(-self.shift, self.shift + 1, size=(n, 2))
        gains = 1.0 + rng.uniform(-self.brightness, self.brightness, size=n)
        for window, flip, shift, gain in zip(frames, mirrored, shifts, gains, strict=True):
            if flip:
                mirror(window)
            if shift.any():
                displace(window, int(shift[0]), int(shift[1]))
            if self.brightness:
                brighten(window, float(gain))
        actions[mirrored, :, 0] *= -1.0


def mirror(frames: NDArray[np.uint8]) -> None:
    """Mirrors frames ``(time, 84, 84)`` in place, the dashboard's bars each about its middle.

    Score, speed and wheel bars stay where they are.
    """
    view, dashboard = frames[:, :DASHBOARD_ROW], frames[:, DASHBOARD_ROW:]
    view[:] = view[:, :, ::-1].copy()
    for first, last in (_STEERING_BAR, _GYROSCOPE_BAR):
        dashboard[:, :, first:last] = dashboard[:, :, first:last][:, :, ::-1].copy()


def displace(frames: NDArray[np.uint8], down: int, right: int) -> None:
    """Shifts all but the dashboard in place; the border is repeated."""
    view = frames[:, :DASHBOARD_ROW]
    rows = np.clip(np.arange(view.shape[1]) - down, 0, view.shape[1] - 1)
    columns = np.clip(np.arange(view.shape[2]) - right, 0, view.shape[2] - 1)
    view[:] = view[:, rows][:, :, columns]


def brighten(frames: NDArray[np.uint8], gain: float) -> None:
    """Multiplies by ``gain`` in place, rounded and kept within a byte; black stays black."""
    table = np.clip(np.rint(np.arange(256) * gain), 0, 255).astype(np.uint8)
    flat = frames.reshape(-1, frames.shape[-1])
    cv2.LUT(flat, table, dst=flat)
