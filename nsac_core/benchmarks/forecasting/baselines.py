"""Forecasts that anybody would try first; their noise is what they missed in validation."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from nsac_core.benchmarks.forecasting.series import FloatArray
from nsac_core.benchmarks.forecasting.windows import Parts, Windows
from nsac_core.methods import Prediction

Forecast = Callable[[Windows], FloatArray]
"""From windows to means ``(windows, 24)``."""

PENALTIES = tuple(10.0**power for power in range(-4, 4))
"""Of the linear forecasts; the one with the least error in validation is taken."""


def constant(parts: Parts) -> Forecast:
    """The mean of the training targets."""
    mean = float(parts.train.y.double().mean())
    return lambda windows: np.full(windows.y.shape, mean)


def persistence(parts: Parts) -> Forecast:  # noqa: ARG001 - nothing is learnt
    """The last value that is known."""
    return lambda windows: windows.last.double().expand(windows.y.shape).numpy()


def seasonal_naive(parts: Parts) -> Forecast:  # noqa: ARG001 - nothing is learnt
    """The value a day before; where there is none, the last that is known."""

    def forecast(windows: Windows) -> FloatArray:
        before = windows.day_before.double()
        return torch.where(before.isnan(), windows.last.double(), before).numpy()

    return forecast


def linear(parts: Parts) -> Forecast:
    """A linear map of the target's 48 steps.

    It can be everything that DLinear (Zeng et al. 2023) can: the moving average that DLinear
    splits off is linear too. Both sides are taken relative to the last value, as NLinear does.
    """
    return _ridge(parts, lambda windows: windows.x[:, :, -1:])


def linear_all(parts: Parts) -> Forecast:
    """A linear map of the 48 steps of all variables."""
    return _ridge(parts, lambda windows: windows.x)


@dataclass(frozen=True)
class Baseline:
    """A forecast for comparison.

    Attributes:
        title: As in tables.
        fit: From the parts to a forecast.
    """

    title: str
    fit: Callable[[Parts], Forecast]


BASELINES = {
    "constant": Baseline("constant", constant),
    "persistence": Baseline("persistence", persistence),
    "seasonal_naive": Baseline("a day before", seasonal_naive),
    "linear": Baseline("linear, target alone", linear),
    "linear_all": Baseline("linear, all variables", linear_all),
}


def predictor(name: str, parts: Parts) -> Callable[[Windows], Prediction]:
    """A baseline with the noise that it has in the validation windows, one variance a step ahead.

    Args:
        name: Key of ``BASELINES``.
        parts: What it learns from.
    """
    forecast = BASELINES[name].fit(parts)
    missed = forecast(parts.validation) - parts.validation.y.double().numpy()
    noise = torch.from_numpy(np.square(missed).mean(axis=0))

    def predict(windows: Windows) -> Prediction:
        mean = torch.from_numpy(forecast(windows).copy())
        return Prediction(mean, noise.expand(mean.shape), torch.zeros_like(mean))

    return predict


def _ridge(parts: Parts, seen: Callable[[Windows], Tensor]) -> Forecast:
    """Least squares from steps to targets, both relative to the last step, with a penalty."""

    def features(windows: Windows) -> FloatArray:
        steps = seen(windows).double()
        relative = (steps - steps[:, -1:])[:, :-1].flatten(1)
        # The last values themselves: whether it is warm now says whether it will be warmer.
        return torch.cat([relative, steps[:, -1]], dim=1).numpy()

    def targets(windows: Windows) -> FloatArray:
        return (windows.y - windows.last).double().numpy()

    x, y = features(parts.train), targets(parts.train)
    x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
    gram, moment = (x - x_mean).T @ (x - x_mean), (x - x_mean).T @ (y - y_mean)

    def weights(penalty: float) -> FloatArray:
        return np.linalg.solve(gram + penalty * np.eye(len(gram)), moment)

    def relative(windows: Windows, maps: FloatArray) -> FloatArray:
        return (features(windows) - x_mean) @ maps + y_mean

    def error(maps: FloatArray) -> float:
        missed = relative(parts.validation, maps) - targets(parts.validation)
        return float(np.square(missed).mean())

    best = min(map(weights, PENALTIES), key=error)
    return lambda windows: relative(windows, best) + windows.last.double().numpy()
