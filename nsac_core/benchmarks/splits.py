"""Random splits of a table: nine tenths to learn from, a tenth of those for validation."""

from typing import Any

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from nsac_core.benchmarks.data_sets import Table
from nsac_core.benchmarks.parts import Part, Split


def split(table: Table, seed: int) -> Split:
    """The split of a seed: that of scikit-learn's ``train_test_split``, as the paper's.

    The features are scaled by the range of the training rows alone, the target is divided by its
    largest value in the whole set.
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

    return Split(part(train), part(validation), {"test": part(test)})
