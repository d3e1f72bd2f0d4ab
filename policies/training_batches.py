"""Batches of windows for training and validation."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from policies import encoders
from policies.colouring_config import Colouring
from policies.demonstrations import Demonstrations
from policies.train_config import TrainConfig


class TrainingBatches:
    """One epoch of augmented windows in random order.

    Args:
        data: The training part.
        config: Sizes and augmentation.
        generator: Source of all draws.
    """

    def __init__(
        self, data: Demonstrations, config: TrainConfig, generator: torch.Generator
    ) -> None:
        self.data, self.augmentation, self.window = data, config.augmentation, config.window
        self.colouring = config.colouring if sees_colours(config) else None
        self.windows_per_batch = max(1, config.batch // config.window)
        seed = int(torch.randint(2**62, (), generator=generator))
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return self.data.count_batches(self.windows_per_batch, self.window)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for frames, actions in self.data.windows(self.windows_per_batch, self.window, self.rng):
            self.augmentation(frames, actions, self.rng)
            shown = frames if self.colouring is None else self.colouring(frames, self.rng)
            yield torch.from_numpy(shown), torch.from_numpy(actions).flatten(0, 1)


class ValidationBatches:
    """The validation windows in order, as recorded; can be iterated anew.

    Args:
        data: The validation part.
        config: Sizes.
    """

    def __init__(self, data: Demonstrations, config: TrainConfig) -> None:
        self.data, self.window = data, config.window
        self.colours = sees_colours(config)
        self.windows_per_batch = max(1, config.batch // config.window)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for frames, actions in self.data.windows(self.windows_per_batch, self.window):
            shown = Colouring()(frames, np.random.default_rng(0)) if self.colours else frames
            yield torch.from_numpy(shown), torch.from_numpy(actions).flatten(0, 1)


def sees_colours(config: TrainConfig) -> bool:
    """Whether the encoder reads coloured frames."""
    return encoders.named(config.encoder).observation.kind == "rgb96"
