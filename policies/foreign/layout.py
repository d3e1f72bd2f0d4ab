"""How a network wants its pictures: which they are, and in which order their numbers lie."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from drive.observation import ObservationKind, ObservationSpec

Order = Literal["frames", "first", "last"]
"""Frames apart as in ``ObservationSpec.shape``, or as channels: before or behind rows and columns,
oldest frame first, each with its colours together."""

_PICTURES: dict[ObservationKind, tuple[int, int, int]] = {
    "gray84": (84, 84, 1),
    "rgb96": (96, 96, 3),
    "camera": (160, 320, 3),
}
_AXES = {"frames": (0, 1, 2, 3, 4), "first": (0, 1, 4, 2, 3), "last": (0, 2, 3, 1, 4)}
"""Of ``(n, frames, rows, columns, colours)``, as each order has them."""

KNOWN = "(4, 84, 84) or (84, 84, 4) gray, (96, 96, 3) or (3, 96, 96) RGB, or more frames of either"
"""What there is, for messages."""


@dataclass(frozen=True)
class Layout:
    """Pictures as a network takes them.

    Attributes:
        observation: Which.
        shape: Of one observation.
        order: How its numbers lie.
    """

    observation: ObservationSpec
    shape: tuple[int, ...]
    order: Order

    def arrange(self, observations: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Observations ``(n, *observation.shape)`` as ``(n, *shape)``, contiguous."""
        n, frames = observations.shape[:2]
        pictures = observations.reshape(n, frames, *_PICTURES[self.observation.kind])
        moved = pictures.transpose(_AXES[self.order]).reshape(n, *self.shape)
        return np.ascontiguousarray(moved)


def layout_of(shape: tuple[int, ...]) -> Layout | None:
    """The layout of observations of this shape, without the batch; None where there is none.

    Three gray frames (or six ...) are none: they could be one picture in colour.
    """
    for kind, size in _PICTURES.items():
        for order in get_args(Order):
            frames = _frames(shape, order, size)
            gray_or_colour = kind == "gray84" and frames % 3 == 0
            if frames and not gray_or_colour:
                return Layout(ObservationSpec(kind, frames), shape, order)
    return None


def _frames(shape: tuple[int, ...], order: Order, size: tuple[int, int, int]) -> int:
    """How many frames of ``(rows, columns, colours)`` there are; 0 where it does not fit."""
    if order == "frames":
        return shape[0] if shape[1:] == size else 0
    if len(shape) != 3:
        return 0
    channels, rows_columns = (shape[0], shape[1:]) if order == "first" else (shape[2], shape[:2])
    return channels // size[2] if rows_columns == size[:2] and channels % size[2] == 0 else 0
