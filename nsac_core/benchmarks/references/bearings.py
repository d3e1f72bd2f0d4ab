"""References for windows ``(rows, time, columns)`` of a bearing, whose last column may be time."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.isotonic import IsotonicRegression
from torch import Tensor

from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.references.reference import (
    Predictor,
    Reference,
    prediction_of_arrays,
)
from nsac_core.methods import Prediction

FloatArray = NDArray[np.float64]


def clock(split: Split, seed: int) -> Predictor:  # noqa: ARG001 - nothing random
    """The label as a rising function of the time alone: knows nothing of the bearing."""
    model = IsotonicRegression(out_of_bounds="clip")
    model.fit(_now(split.train.x)[:, -1], split.train.y.numpy().ravel())
    return _with_noise(lambda x: model.predict(_now(x)[:, -1]), split)


def boosting(split: Split, seed: int) -> Predictor:
    """Gradient-boosted trees on the last row of the window and its mean."""

    def columns(x: Tensor) -> FloatArray:
        return np.hstack([_now(x), x.double().mean(1).numpy()])

    model = HistGradientBoostingRegressor(random_state=seed)
    model.fit(columns(split.train.x), split.train.y.numpy().ravel())
    return _with_noise(lambda x: model.predict(columns(x)), split)


def _now(x: Tensor) -> FloatArray:
    return x[:, -1].double().numpy()


def _with_noise(mean_of: Callable[[Tensor], FloatArray], split: Split) -> Predictor:
    """The noise is the mean squared error on the validation part."""
    noise = float(
        np.square(mean_of(split.validation.x) - split.validation.y.numpy().ravel()).mean()
    )

    def predict(x: Tensor) -> Prediction:
        return prediction_of_arrays(mean_of(x), noise)

    return predict


BEARINGS = {
    "clock": Reference("clock alone", clock, 0.1),
    "boosting": Reference("boosted trees", boosting, 1.0),
}
