"""Sky and distant hills, all round: one picture on a cylinder about the camera."""

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.udacity.simulator.cameras import FOCAL
from drive.udacity.simulator.looks import Look

COLUMNS = 1024
"""Of the picture all round."""
ABOVE, BELOW = 160, 24
"""Rows above and below the horizon, as large as a frame's."""


def paint_backdrop(look: Look, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The picture, (184, 1024, 3): its columns turn from north to west, its horizon is row 160."""
    rise = (ABOVE - np.arange(ABOVE + BELOW)) / FOCAL
    share = np.clip(rise / 0.55, 0.0, 1.0)[:, None] ** 0.7
    sky = (1.0 - share) * np.array(look.sky) + share * np.array(look.zenith)
    picture = np.repeat(sky[:, None, :], COLUMNS, axis=1)
    haze = np.array(look.haze, dtype=float)
    far = np.array(look.leaves[0]) * 0.9 + np.array((20, 40, 60))
    for top, rough, mist in ((13.0, 6.0, 0.72), (8.0, 4.0, 0.5)):
        ridge = top + rough * _ring_noise(12, rng) + 1.2 * _ring_noise(220, rng)
        hill = ABOVE - np.arange(ABOVE + BELOW)[:, None] < ridge[None, :]
        picture[hill] = mist * haze + (1.0 - mist) * far
    return np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)


def _ring_noise(bumps: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Smooth noise all round, (COLUMNS,)."""
    ring = rng.standard_normal(bumps).astype(np.float32)
    padded = np.concatenate([ring[-2:], ring, ring[:2]])[None, :]
    width = round(COLUMNS * len(padded[0]) / bumps)
    smooth = cv2.resize(padded, (width, 1), interpolation=cv2.INTER_CUBIC)[0]
    start = round(2 * COLUMNS / bumps)
    return np.asarray(smooth[start : start + COLUMNS], dtype=np.float64)
