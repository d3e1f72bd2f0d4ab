"""A picture with its saliency laid over it."""

import cv2
import matplotlib
import numpy as np
from numpy.typing import NDArray

from evaluation.inspection.saliency.lens import Maps

ALPHA = 0.55
"""Of the colours over the picture, as in the paper."""

Image = NDArray[np.uint8]

_MAGMA = (255 * matplotlib.colormaps["magma"](np.arange(256))[:, :3]).round().astype(np.uint8)


def overlaid(frame: Image, saliency: Image, enlarged: int = 1) -> Image:
    """The picture under the colours of magma, bright where the saliency is.

    Args:
        frame: ``(rows, columns)`` gray or ``(rows, columns, 3)``.
        saliency: ``(rows, columns)``, 255 for the most.
        enlarged: Pixels along a side that one becomes.

    Returns:
        ``(enlarged * rows, enlarged * columns, 3)``.
    """
    return np.asarray(
        cv2.addWeighted(
            _MAGMA[_large(saliency, enlarged)], ALPHA, in_colour(frame, enlarged), 1.0 - ALPHA, 0.0
        ),
        dtype=np.uint8,
    )


def in_colour(frame: Image, enlarged: int = 1) -> Image:
    """The picture with three channels, each pixel enlarged."""
    large = _large(frame, enlarged)
    return np.repeat(large[..., None], 3, axis=2) if large.ndim == 2 else large


def as_bytes(maps: Maps, brightest: float = 1.0) -> Image:
    """A single map ``(rows, columns)``, 255 at its maximum, or at that quantile and above."""
    most = float(np.quantile(maps, brightest)) or float(maps.max())
    shown: Image = (255 * np.clip(maps / (most or 1.0), 0, 1)).round().astype(np.uint8)
    return shown


def _large(image: Image, times: int) -> Image:
    return image.repeat(times, axis=0).repeat(times, axis=1)
