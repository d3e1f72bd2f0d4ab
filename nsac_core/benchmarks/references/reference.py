"""What a reference is: a predictor that needs no training loop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nsac_core.benchmarks.parts import Split
from nsac_core.methods import Prediction

Predictor = Callable[[Tensor], Prediction]
"""From inputs ``(rows, ...)`` to a prediction ``(rows, out)``."""


@dataclass(frozen=True)
class Reference:
    """A regressor for comparison.

    Attributes:
        title: As in tables.
        fit: From a split and a seed to a predictor.
        cost: About how long it takes, in epochs of a simple method: decides what starts first.
    """

    title: str
    fit: Callable[[Split, int], Predictor]
    cost: float


def prediction_of_arrays(mean: Any, aleatoric: Any, epistemic: Any = None) -> Prediction:  # noqa: ANN401
    """From arrays ``(rows,)`` or ``(rows, out)``; rounding may not leave a variance below zero."""
    mean = np.asarray(mean, dtype=np.float64)
    epistemic = np.zeros_like(mean) if epistemic is None else np.maximum(epistemic, 0)
    parts = (
        np.broadcast_to(np.asarray(part, dtype=np.float64), mean.shape).reshape(len(mean), -1)
        for part in (mean, aleatoric, epistemic)
    )
    return Prediction(*(torch.from_numpy(part.copy()) for part in parts))
