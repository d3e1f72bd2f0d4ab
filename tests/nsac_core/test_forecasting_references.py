"""Forecasts for comparison, against processes whose best forecast is known."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import Ridge

from nsac_core import metrics
from nsac_core.benchmarks.forecasting.series import FloatArray, cleaned
from nsac_core.benchmarks.forecasting.windows import split
from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.references import REFERENCES

HOUR = np.timedelta64(1, "h")
QUARTER = np.timedelta64(15, "m")


def windows_of(target: FloatArray, step: np.timedelta64 = QUARTER) -> Split:
    """Windows of a target beside noise that says nothing of it."""
    noise = np.random.default_rng(1).normal(size=len(target))
    times = np.datetime64("2020-01-01T00:00") + step * np.arange(len(target))
    return split(cleaned(times, pd.DataFrame({"noise": noise, "target": target}), step), 1, 42)


def mse(name: str, parts: Split) -> float:
    prediction = REFERENCES[name].fit(parts, 42)(parts.test.x)
    return metrics.mse(prediction, parts.test.y)


@pytest.fixture(scope="module")
def walk() -> Split:
    """A random walk: nothing is better than its last value."""
    return windows_of(np.random.default_rng(0).normal(size=4000).cumsum())


def test_persistence_is_the_best_for_a_random_walk_and_knows_its_spread(walk: Split) -> None:
    assert mse("persistence", walk) < mse("constant", walk)
    assert mse("persistence", walk) < mse("seasonal_naive", walk)
    assert mse("persistence", walk) == pytest.approx(mse("linear", walk), rel=0.1)
    prediction = REFERENCES["persistence"].fit(walk, 42)(walk.test.x)
    torch.testing.assert_close(
        prediction.mean, walk.test.x[:, -1:, -1].double().expand(-1, 24), rtol=0, atol=0
    )
    # The variance of a walk grows by the same with every step.
    growth = prediction.aleatoric[0] / prediction.aleatoric[0, 0]
    torch.testing.assert_close(growth, torch.arange(1.0, 25).double(), rtol=0.35, atol=0)
    assert prediction.epistemic.eq(0).all()
    assert metrics.interval_coverage(prediction, walk.test.y) == pytest.approx(0.9, abs=0.08)


def test_a_day_before_is_exact_for_what_repeats_every_day() -> None:
    day = np.random.default_rng(2).normal(size=96)
    parts = windows_of(np.tile(day, 20))
    assert mse("seasonal_naive", parts) == pytest.approx(0, abs=1e-12)
    assert mse("persistence", parts) > 0.01


def test_a_linear_forecast_continues_a_sinusoid() -> None:
    # A sinusoid of any phase obeys a linear recurrence, which 48 steps determine.
    time = np.arange(3000)
    parts = windows_of(np.sin(time / 7) + 0.3 * np.sin(time / 3))
    assert mse("linear", parts) < 1e-4 * mse("persistence", parts)


def test_the_linear_forecast_is_ridge_regression_with_the_best_penalty(walk: Split) -> None:
    def features(x: torch.Tensor) -> FloatArray:
        steps = x[:, -48:, -1].double().numpy()
        return np.column_stack([steps[:, :-1] - steps[:, -1:], steps[:, -1]])

    above = {
        name: part.y.double().numpy() - part.x[:, -1:, -1].double().numpy()
        for name, part in (("train", walk.train), ("validation", walk.validation))
    }
    models = [
        Ridge(penalty).fit(features(walk.train.x), above["train"])
        for penalty in (1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3)
    ]
    errors = [
        np.square(model.predict(features(walk.validation.x)) - above["validation"]).mean()
        for model in models
    ]
    best = models[int(np.argmin(errors))]
    expected = best.predict(features(walk.test.x)) + walk.test.x[:, -1:, -1].double().numpy()
    found = REFERENCES["linear"].fit(walk, 42)(walk.test.x).mean.numpy()
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_other_variables_help_where_they_lead_the_target() -> None:
    rng = np.random.default_rng(3)
    leading = rng.normal(size=3000)
    target = np.roll(leading, 12)  # twelve steps later: what comes is known
    step = QUARTER
    times = np.datetime64("2020-01-01T00:00") + step * np.arange(3000)
    parts = split(cleaned(times, pd.DataFrame({"a": leading, "b": target}), step), 1, 42)
    alone, together = (
        REFERENCES[name].fit(parts, 42)(parts.test.x) for name in ("linear", "linear_all")
    )
    missed = (together.mean - parts.test.y)[:, :12].abs().max().item()
    assert missed < 0.02
    assert (alone.mean - parts.test.y)[:, :12].square().mean().item() > 10 * missed**2


def test_steps_of_an_hour_make_a_day_of_24() -> None:
    with pytest.raises(ValueError, match="a day of 24 steps is shorter than the look-back"):
        windows_of(np.arange(500.0), HOUR)
