"""Regressors that anybody would try first, each with the uncertainty it has."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import BayesianRidge
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from nsac_core.benchmarks.splits import Split
from nsac_core.methods import Prediction

FloatArray = NDArray[np.float64]
Predictor = Callable[[Tensor], Prediction]
"""From features ``(rows, features)`` to a prediction ``(rows, 1)``."""

ROWS_OF_KERNEL = 1500
"""Rows that decide a Gaussian process's kernel, whose fit takes cubic time; its posterior uses all
training rows."""


def constant(split: Split, seed: int) -> Predictor:  # noqa: ARG001 - nothing random
    """Mean and variance of the training targets, whatever the features."""
    y = split.train.y.double()
    mean, variance = float(y.mean()), float(y.var(correction=0))

    def predict(x: Tensor) -> Prediction:
        ones = np.ones(len(x))
        return _prediction(mean * ones, variance * ones)

    return predict


def ridge(split: Split, seed: int) -> Predictor:  # noqa: ARG001 - nothing random
    """Bayesian ridge regression: the evidence sets penalty and noise."""
    x, y = _arrays(split)
    model = BayesianRidge().fit(x, y)

    def predict(features: Tensor) -> Prediction:
        mean, std = model.predict(features.double().numpy(), return_std=True)
        noise = np.full_like(mean, 1 / model.alpha_)
        return _prediction(mean, noise, std**2 - noise)

    return predict


def mlp(split: Split, seed: int) -> Predictor:
    """Two layers of 64 ReLU units; the noise is the mean squared error on the validation part."""
    x, y = _arrays(split)
    scaler = StandardScaler().fit(x)
    model = MLPRegressor(hidden_layer_sizes=(64, 64), alpha=0.1, random_state=seed)
    with warnings.catch_warnings():
        # It stops after 200 epochs, converged or not: that many are as good as more.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(scaler.transform(x), (y - y.mean()) / y.std())

    def mean_of(features: Tensor) -> FloatArray:
        standard = model.predict(scaler.transform(features.double().numpy()))
        return np.asarray(standard * y.std() + y.mean())

    error = mean_of(split.validation.x) - split.validation.y.double().numpy().ravel()
    noise = float(np.square(error).mean())

    def predict(features: Tensor) -> Prediction:
        mean = mean_of(features)
        return _prediction(mean, np.full_like(mean, noise))

    return predict


def gaussian_process(split: Split, seed: int) -> Predictor:
    """A Gaussian process with one length scale a feature; its noise level is the aleatoric part."""
    x, y = _arrays(split)
    few = np.random.default_rng(seed).permutation(len(x))[:ROWS_OF_KERNEL]
    scales = RBF(np.ones(x.shape[1]), (1e-2, 1e3))
    kernel = ConstantKernel(1.0, (1e-2, 1e3)) * scales + WhiteKernel(0.1, (1e-6, 1e1))
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed)
    with warnings.catch_warnings():
        # A feature that does not matter has its length scale at the upper bound, as it should.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(x[few], y[few])
    if len(few) < len(x):
        model = GaussianProcessRegressor(model.kernel_, optimizer=None, normalize_y=True).fit(x, y)
    noise_level = float(model.kernel_.k2.noise_level) * float(np.var(y))

    def predict(features: Tensor) -> Prediction:
        mean, std = model.predict(features.double().numpy(), return_std=True)
        noise = np.full_like(mean, noise_level)
        return _prediction(mean, noise, std**2 - noise)

    return predict


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


REFERENCES = {
    "constant": Reference("constant", constant, 0.1),
    "ridge": Reference("Bayesian ridge", ridge, 0.2),
    "mlp": Reference("MLP 64x2", mlp, 5.0),
    "gp": Reference("GP, ARD kernel", gaussian_process, 50.0),
}


def _arrays(split: Split) -> tuple[FloatArray, FloatArray]:
    return split.train.x.double().numpy(), split.train.y.double().numpy().ravel()


def _prediction(mean: Any, aleatoric: Any, epistemic: Any = None) -> Prediction:  # noqa: ANN401
    """From numpy arrays ``(rows,)``; rounding may not leave a variance below zero."""
    epistemic = np.zeros_like(mean) if epistemic is None else np.maximum(epistemic, 0)
    parts = (np.asarray(part, dtype=np.float64)[:, None] for part in (mean, aleatoric, epistemic))
    return Prediction(*(torch.from_numpy(part.copy()) for part in parts))
