"""Regressors of tables: linear, a small network, a Gaussian process."""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import BayesianRidge
from sklearn.neural_network import MLPRegressor
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.references.reference import Predictor, Reference, prediction_of_arrays
from nsac_core.methods import Prediction

FloatArray = NDArray[np.float64]

ROWS_OF_KERNEL = 1500
"""Rows that decide a Gaussian process's kernel, whose fit takes cubic time; its posterior uses all
training rows."""


def ridge(split: Split, seed: int) -> Predictor:  # noqa: ARG001 - nothing random
    """Bayesian ridge regression: the evidence sets penalty and noise."""
    x, y = _arrays(split)
    model = BayesianRidge().fit(x, y)

    def predict(features: Tensor) -> Prediction:
        mean, std = model.predict(features.double().numpy(), return_std=True)
        noise = np.full_like(mean, 1 / model.alpha_)
        return prediction_of_arrays(mean, noise, std**2 - noise)

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
        return prediction_of_arrays(mean, np.full_like(mean, noise))

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
        return prediction_of_arrays(mean, noise, std**2 - noise)

    return predict


TABULAR = {
    "ridge": Reference("Bayesian ridge", ridge, 0.2),
    "mlp": Reference("MLP 64x2", mlp, 5.0),
    "gp": Reference("GP, ARD kernel", gaussian_process, 50.0),
}


def _arrays(split: Split) -> tuple[FloatArray, FloatArray]:
    return split.train.x.double().numpy(), split.train.y.double().numpy().ravel()
