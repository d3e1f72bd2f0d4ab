"""Forecasts that anybody would try first; their noise is what they have missed in validation."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.references.reference import Predictor, Reference, prediction_of_arrays
from nsac_core.methods import Prediction

FloatArray = NDArray[np.float64]
Forecast = Callable[[Tensor], FloatArray]
"""From windows ``(rows, day, variables)``, the target last, to means ``(rows, horizon)``."""

PENALTIES = tuple(10.0**power for power in range(-4, 4))
"""Of the linear forecasts; that with the least error in validation is taken."""

STEPS = 48
"""Steps that the linear forecasts see, as many as the methods."""


def persistence(split: Split, seed: int) -> Predictor:  # noqa: ARG001 - nothing random
    """The last value that is known."""
    horizon = split.train.y.shape[1]
    return _with_noise(split, lambda x: _target(x)[:, -1:].repeat(horizon, axis=1))


def seasonal_naive(split: Split, seed: int) -> Predictor:  # noqa: ARG001 - nothing random
    """The value a day before."""
    horizon = split.train.y.shape[1]
    return _with_noise(split, lambda x: _target(x)[:, :horizon])


def linear(split: Split, seed: int) -> Predictor:  # noqa: ARG001 - nothing random
    """A linear map of the target's last 48 steps.

    It can be everything that DLinear (Zeng et al. 2023) can: the moving average that DLinear
    splits off is linear too. Both sides are taken relative to the last value, as NLinear does.
    """
    return _with_noise(split, _least_squares(split, lambda x: x[:, -STEPS:, -1:]))


def linear_all(split: Split, seed: int) -> Predictor:  # noqa: ARG001 - nothing random
    """A linear map of the last 48 steps of all variables."""
    return _with_noise(split, _least_squares(split, lambda x: x[:, -STEPS:]))


FORECASTING = {
    "persistence": Reference("persistence", persistence, 0.1),
    "seasonal_naive": Reference("a day before", seasonal_naive, 0.1),
    "linear": Reference("linear, target alone", linear, 0.2),
    "linear_all": Reference("linear, all variables", linear_all, 0.5),
}


def _with_noise(split: Split, forecast: Forecast) -> Predictor:
    """The forecast with the variance of its errors in validation, one for each step ahead."""
    missed = forecast(split.validation.x) - split.validation.y.double().numpy()
    noise = np.square(missed).mean(axis=0)

    def predict(x: Tensor) -> Prediction:
        return prediction_of_arrays(forecast(x), noise)

    return predict


def _target(x: Tensor) -> FloatArray:
    return x[:, :, -1].double().numpy()


def _least_squares(split: Split, seen: Callable[[Tensor], Tensor]) -> Forecast:
    """From steps to targets, both relative to the last step, with a penalty on the map."""
    x, y = _features(seen(split.train.x)), _above_last(split.train.x, split.train.y)
    x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
    gram, moment = (x - x_mean).T @ (x - x_mean), (x - x_mean).T @ (y - y_mean)
    held_out = _features(seen(split.validation.x)) - x_mean
    wanted = _above_last(split.validation.x, split.validation.y) - y_mean

    def error(weights: FloatArray) -> float:
        return float(np.square(held_out @ weights - wanted).mean())

    maps = (np.linalg.solve(gram + by * np.eye(len(gram)), moment) for by in PENALTIES)
    best = min(maps, key=error)
    return lambda x: (_features(seen(x)) - x_mean) @ best + y_mean + _target(x)[:, -1:]


def _features(steps: Tensor) -> FloatArray:
    """Steps relative to the last, and the last: where it stands now says where it may go."""
    steps = steps.double()
    relative = (steps - steps[:, -1:])[:, :-1].flatten(1)
    return torch.cat([relative, steps[:, -1]], dim=1).numpy()


def _above_last(x: Tensor, y: Tensor) -> FloatArray:
    return y.double().numpy() - _target(x)[:, -1:]
