"""What policies see: SB3's WarpFrame as one function, and its frame stack for a batch of cars."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Frames = NDArray[np.uint8]


def warp_frame(rgb: Frames) -> Frames:
    """A gray 84 x 84 picture, as stable-baselines3's WarpFrame makes it.

    Args:
        rgb: (height, width, 3) uint8.

    Returns:
        (84, 84) uint8.
    """
    gray = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.resize(gray, (84, 84), interpolation=cv2.INTER_AREA), dtype=np.uint8)


class FrameStack:
    """The latest frames of each car of a batch, zero-filled at the start, newest last.

    Equal to VecFrameStack and VecTransposeImage of stable-baselines3 on the same frames.

    Attributes:
        stacked: The stacks as last returned, (n, frames, *shape) uint8.
    """

    def __init__(self, n: int, frames: int = 4, shape: tuple[int, ...] = (84, 84)) -> None:
        """Stack ``frames`` frames of ``shape`` for ``n`` cars."""
        self.stacked: Frames = np.zeros((n, frames, *shape), dtype=np.uint8)

    def reset(self, indices: Sequence[int] | NDArray[np.integer] | None = None) -> None:
        """Forget the frames of the cars ``indices``, or of all."""
        self.stacked = self.stacked.copy()
        self.stacked[slice(None) if indices is None else np.asarray(indices, dtype=int)] = 0

    def push(self, frames: Frames) -> Frames:
        """Add the newest frame of each car.

        Args:
            frames: (n, *shape) uint8; a last axis of length 1, as the world's, may be kept.

        Returns:
            (n, frames, *shape) uint8, a new array.

        Raises:
            ValueError: The frames have another shape.
        """
        n, _, *shape = self.stacked.shape
        if frames.shape not in ((n, *shape), (n, *shape, 1)):
            raise ValueError(f"frames have shape {(n, *shape)}, not {frames.shape}")
        newest = frames.reshape(n, 1, *shape)
        self.stacked = np.concatenate([self.stacked[:, 1:], newest], axis=1)
        return self.stacked
