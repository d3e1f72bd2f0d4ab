"""Coloured training pictures from recordings of gray ones: other colours, noise, bars and squares.

A gray level of gymnasium's picture tells what is shown, road, grass or kerb, or their mixture at an
edge. So a table of colours makes of a gray frame what a world in these colours looks like, and a
policy that sees colours learns from recordings that hold none. All frames of a window are coloured
alike, but for noise, which is drawn anew for each.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.carracing.colours import ColourScheme, draw_paper_colours
from drive.carracing.scenery import RED
from policies.augmentation import (
    BACKGROUND,
    DASHBOARD_ROW,
    GRASS,
    KERB,
    ROAD,
    UNVISITED,
    VIEW_ROWS,
    unmixed,
)
from policies.colouring_config import Colouring

Frames = NDArray[np.uint8]

_CAR = 61
"""Gray level of the car's red."""
_RED_OF_KERB = (255, 0, 0)
_CELL = np.array([16.2 * 84 / 1000, 16.2 * 84 / 800])
"""Pixels across and down that a world unit takes, once the camera has zoomed in."""


def coloured(colouring: Colouring, frames: Frames, rng: np.random.Generator) -> Frames:
    """Colours a batch; see ``Colouring``."""
    return np.stack([_window(colouring, window, rng) for window in frames])


def _window(colouring: Colouring, gray: Frames, rng: np.random.Generator) -> Frames:
    """RGB ``(time, 84, 84, 3)`` of gray ``(time, 84, 84)``."""
    scheme = draw_scheme(rng) if rng.random() < colouring.recolour else ColourScheme()
    shown = coloured_by(gray, scheme)
    view = shown[:, :DASHBOARD_ROW]
    if rng.random() < colouring.noise:
        scatter(view, grass_share(gray[:, :DASHBOARD_ROW]), rng)
    if rng.random() < colouring.bars:
        width = int(rng.integers(1, 10))
        view[:, :, :width] = view[:, :, -width:] = 0
    if rng.random() < colouring.square:
        cover(view, rng)
    return shown


def draw_scheme(rng: np.random.Generator) -> ColourScheme:
    """Colours as in the paper's test, or offsets of up to a fifth from the usual ones.

    The offsets are one for all channels, or more often one for each; the patches of grass move with
    the field, or more often keep their usual colour: patches that stand out more than the road are
    what is hardest to learn.
    """
    if rng.random() < 0.5:
        return draw_paper_colours(rng)
    usual = np.array([ColourScheme.road, ColourScheme.background, ColourScheme.grass])
    channels = 3 if rng.random() < 0.75 else 1
    road, field = 255.0 * rng.uniform(-0.2, 0.2, (2, channels))
    patches = field if rng.random() < 0.25 else np.zeros_like(field)
    offsets = np.stack([road, field, patches])
    moved = np.clip(usual + offsets, 0.0, 255.0)
    return ColourScheme(*(tuple(colour) for colour in moved.tolist()))


def coloured_by(gray: Frames, scheme: ColourScheme) -> Frames:
    """What gray frames of a usual world look like in other colours.

    What lies between two levels is a mixture at an edge, so it becomes the mixture of the new
    colours; where a kerb meets road or grass that is a guess.

    Args:
        gray: ``(time, 84, 84)``.
        scheme: The colours.

    Returns:
        RGB, ``(time, 84, 84, 3)``; the dashboard stays gray.
    """
    road = np.asarray(scheme.road)
    anchors = (0, _CAR, KERB, ROAD, UNVISITED, BACKGROUND, GRASS, 255)
    colours = np.array([
        *((0, 0, 0), RED, _RED_OF_KERB, road, road + UNVISITED - ROAD),
        *(scheme.background, scheme.grass, (255, 255, 255)),
    ])  # fmt: skip
    table = np.stack([np.interp(np.arange(256), anchors, channel) for channel in colours.T], 1)
    coloured = np.repeat(gray[..., None], 3, axis=-1)
    view = np.clip(np.rint(table), 0, 255).astype(np.uint8)
    coloured[:, :VIEW_ROWS] = view[gray[:, :VIEW_ROWS]]
    coloured[:, VIEW_ROWS] = view[unmixed(gray[:, VIEW_ROWS])] // 2
    return coloured


def grass_share(gray: Frames) -> NDArray[np.float32]:
    """How much of each pixel is grass, in [0, 1], by the gray level of a usual world."""
    rising = (gray.astype(np.float32) - UNVISITED) / (BACKGROUND - UNVISITED)
    return np.where(gray > GRASS + 5, 0.0, np.clip(rising, 0.0, 1.0)).astype(np.float32)


def scatter(view: Frames, share: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Replaces the grass of frames ``(time, rows, columns, 3)`` in place, anew in each.

    Args:
        view: RGB.
        share: How much of each pixel is grass, ``(time, rows, columns)``.
        rng: Source of all draws.
    """
    rows, columns = view.shape[1:3]
    for frame, grass in zip(view, share, strict=True):
        cells = rng.integers(0, 256, (96, 96, 3), dtype=np.uint8)
        turn = _CELL[:, None] * cv2.getRotationMatrix2D((0, 0), rng.uniform(0, 360), 1.0)[:, :2]
        shift = (columns / 2, rows / 2) - turn @ (48 + rng.uniform(-1, 1, 2))
        noise = cv2.warpAffine(cells, np.column_stack([turn, shift]), (columns, rows))
        mixed = frame + grass[..., None] * (noise.astype(np.float32) - frame)
        frame[:] = np.rint(mixed)


def cover(view: Frames, rng: np.random.Generator) -> None:
    """Lays a square of one colour over frames ``(time, rows, columns, 3)`` in place.

    It stays where it is through the window, off the car, in a red, or in any colour.
    """
    rows, columns = view.shape[1:3]
    colour = RED if rng.random() < 0.5 else tuple(rng.integers(0, 256, 3).tolist())
    side = rng.uniform(4.0, 16.0)
    x = rng.uniform(0, columns)
    y = rng.uniform(0, rows - 20)
    box = cv2.boxPoints(((x, y), (side, side), rng.uniform(0, 90)))
    mask = np.zeros((rows, columns), np.uint8)
    cv2.fillConvexPoly(mask, box.astype(np.int32), 1)
    view[:, mask.astype(bool)] = colour
