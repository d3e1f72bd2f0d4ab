"""Augments windows of gray frames: other colours, the mirror, small shifts, brightness.

A track is driven counter-clockwise, so right turns are rare: the mirror makes them as frequent as
left ones. Shifts and brightness teach the policy to ignore what differs between two renderers. A
world in other colours is, in gray, the same picture with other levels of road and grass, so a table
of levels makes one of the other. All frames of a window are changed alike, since their motion
carries the speed.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from policies.augmentation_config import Augmentation

DASHBOARD_ROW = 74
"""First row of the 84 that shows the dashboard (the bottom 12 of 96 rows, and the row they share
with the picture)."""

VIEW_ROWS = 73
"""Rows that show the world alone; the row after them mixes it half and half with the dashboard's
black."""

KERB, ROAD, UNVISITED, BACKGROUND, GRASS = 76, 100, 105, 160, 175
"""Gray levels of gymnasium's colours as its picture shows them: red kerbs, visited road, the
lightest unvisited tile, the field, the patches of grass. Darker is the car."""

_STEERING_BAR = (31, 53)
_GYROSCOPE_BAR = (53, 73)
"""Columns of the two bars that grow to both sides of their middle, and so mirror there (gymnasium
draws them about 20/40 and 30/40 of the picture's width)."""


def augment(
    augmentation: Augmentation,
    frames: NDArray[np.uint8],
    actions: NDArray[np.float32],
    rng: np.random.Generator,
) -> None:
    """Changes a batch in place.

    Args:
        augmentation: What is changed at random.
        frames: ``(batch, time, 84, 84)``.
        actions: ``(batch, window, 3)``; steering comes first.
        rng: Source of all draws.
    """
    n = len(frames)
    if augmentation.recolour:
        for chosen in np.flatnonzero(rng.random(n) < augmentation.recolour):
            recolour(frames[chosen], draw_levels(rng))
    mirrored = rng.random(n) < augmentation.mirror
    shifts = rng.integers(-augmentation.shift, augmentation.shift + 1, size=(n, 2))
    gains = 1.0 + rng.uniform(-augmentation.brightness, augmentation.brightness, size=n)
    for window, flip, shift, gain in zip(frames, mirrored, shifts, gains, strict=True):
        if flip:
            mirror(window)
        if shift.any():
            displace(window, int(shift[0]), int(shift[1]))
        if augmentation.brightness:
            brighten(window, float(gain))
    actions[mirrored, :, 0] *= -1.0


def draw_levels(rng: np.random.Generator) -> NDArray[np.uint8]:
    """A random table of gray levels, ``(256,)``: the same world in other colours.

    Road and field are uniform in [0, 215), each by itself, so that the road is as often the lighter
    as the darker; the patches of grass differ from the field by up to 15 either way. That holds all
    that ``drive.carracing.colours.draw_paper_colours`` can draw.
    """
    road, background = rng.uniform(0, 215, size=2)
    return levels_of(road, background, background + rng.uniform(-15, 15))


def levels_of(road: float, background: float, grass: float) -> NDArray[np.uint8]:
    """The table of gray levels, ``(256,)``, that a world with these gray levels stands for.

    What lies between two levels of gymnasium's picture is their mixture at an edge, so it becomes
    the mixture of the new ones. Car, kerbs and black stay.

    Args:
        road: Of a visited tile as it is shown, in [0, 255]; unvisited ones stay up to 5 lighter.
        background: Of the field.
        grass: Of its patches.
    """
    anchors = (0, KERB, ROAD, UNVISITED, BACKGROUND, GRASS, 255)
    values = (0, KERB, road, road + UNVISITED - ROAD, background, grass, 255)
    table = np.rint(np.interp(np.arange(256), anchors, np.clip(values, 0, 255)))
    return np.asarray(table, dtype=np.uint8)


def recolour(frames: NDArray[np.uint8], table: NDArray[np.uint8]) -> None:
    """Looks up the levels of frames ``(time, 84, 84)`` in place; the dashboard stays."""
    frames[:, :VIEW_ROWS] = table[frames[:, :VIEW_ROWS]]
    frames[:, VIEW_ROWS] = table[unmixed(frames[:, VIEW_ROWS])] // 2


def unmixed(row: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Gray levels of the world in the row that is mixed half and half with black."""
    return np.minimum(2 * row.astype(np.int64), 255)


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
