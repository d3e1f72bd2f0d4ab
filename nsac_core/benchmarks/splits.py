"""Random splits of a table: nine tenths to learn from, a tenth of those for validation."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler
from torch import Tensor

from nsac_core.benchmarks.data_sets import Table


@dataclass(frozen=True)
class Part:
    """Rows of a split, scaled.

    Attributes:
        x: Features, [0, 1] over the training rows, float32 ``(rows, features)``.
        y: Target divided by its largest value in the whole set, float32 ``(rows, 1)``.
    """

    x: Tensor
    y: Tensor

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True)
class Split:
    """Three parts that share no row."""

    train: Part
    validation: Part
    test: Part


def split(table: Table, seed: int) -> Split:
    """The split of a seed: that of scikit-learn's ``train_test_split``, as the paper's.

    The features are scaled by the range of the training rows alone.
    """
    rows = np.arange(len(table.target))
    learning, test = train_test_split(rows, test_size=0.1, random_state=seed)
    train, validation = train_test_split(learning, test_size=0.1, random_state=seed)
    scaler = MinMaxScaler().fit(table.features[train])
    features, target = scaler.transform(table.features), table.target / table.target.max()

    def part(chosen: Any) -> Part:  # noqa: ANN401 - scikit-learn is untyped
        return Part(
            torch.as_tensor(features[chosen], dtype=torch.float32),
            torch.as_tensor(target[chosen, None], dtype=torch.float32),
        )

    return Split(part(train), part(validation), part(test))


def perturbed(part: Part, sigma: float, seed: int) -> Tensor:
    """Features plus Gaussian noise of standard deviation ``sigma`` in scaled units.

    The noise of a seed is the same for every method, and the same but for its size for every sigma.
    """
    noise = torch.randn(part.x.shape, generator=torch.Generator().manual_seed(seed))
    return part.x + sigma * noise
