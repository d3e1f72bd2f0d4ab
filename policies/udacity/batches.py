"""Batches of frames and steering: augmented for training, the centre camera's for the rest."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from drive.udacity import frames
from drive.udacity.frame_shape import Frame
from drive.udacity.recordings import Row
from policies.udacity.augmentation import seen
from policies.udacity.augmentation_config import CameraAugmentation
from policies.udacity.drives import Drives
from policies.udacity.view import View


class TrainingBatches:
    """One epoch of augmented samples in random order.

    Args:
        drives: The training part.
        size: Samples in a batch; the last of an epoch may be smaller.
        augmentation: Changes each sample.
        generator: Source of all draws.
    """

    def __init__(
        self,
        drives: Drives,
        size: int,
        augmentation: CameraAugmentation,
        generator: torch.Generator,
    ) -> None:
        self.drives, self.size, self.augmentation = drives, size, augmentation
        self.rng = np.random.default_rng(int(torch.randint(2**62, (), generator=generator)))

    def __len__(self) -> int:
        return (len(self.drives) + self.size - 1) // self.size

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        order = self.rng.permutation(len(self.drives))
        for start in range(0, len(order), self.size):
            rows = [self.drives.rows[i] for i in order[start : start + self.size]]
            samples = [self.augmentation(_cameras(row), row.steering, self.rng) for row in rows]
            yield _batch(samples)


class CentreBatches:
    """The centre camera's frames in order, as recorded; can be iterated anew.

    Args:
        drives: The part to show.
        size: Frames in a batch.
    """

    def __init__(self, drives: Drives, size: int) -> None:
        self.drives, self.size = drives, size

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        rows = self.drives.rows
        for start in range(0, len(rows), self.size):
            chosen = rows[start : start + self.size]
            yield _batch([(seen(_frame(row.centre)), row.steering) for row in chosen])


def _batch(samples: list[tuple[View, float]]) -> tuple[Tensor, Tensor]:
    """Stacks of one frame, uint8 ``(n, 1, 75, 320, 3)``, and steering, ``(n, 1)``."""
    views = np.stack([view for view, _ in samples])
    steering = torch.tensor([[value] for _, value in samples], dtype=torch.float32)
    return torch.from_numpy(views)[:, None], steering


def _cameras(row: Row) -> tuple[Callable[[], Frame] | None, ...]:
    images = (row.centre, row.left, row.right)
    return tuple(None if image is None else partial(_frame, image) for image in images)


def _frame(image: Path) -> Frame:
    return frames.decode(image.read_bytes())
