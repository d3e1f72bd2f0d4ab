"""Intervals of laps of several models on the same tracks: closed form and coverage."""

import math

import numpy as np
import pandas as pd
import pytest

from evaluation.comparison.intervals import (
    clustered_wilson,
    crossed_bootstrap,
    design_effect,
    matrix,
)
from evaluation.errors import EvaluationError
from evaluation.statistics import bootstrap, wilson


def crossed(rng: np.random.Generator, model: float, track: float, rest: float) -> np.ndarray:
    """Laps of 5 models on 20 tracks with these standard deviations, about zero."""
    effects = rng.normal(0, model, (5, 1)) + rng.normal(0, track, (1, 20))
    return effects + rng.normal(0, rest, (5, 20))


def test_the_design_effect_is_that_of_crossed_random_effects() -> None:
    rng = np.random.default_rng(0)
    found = np.mean([design_effect(crossed(rng, 1.0, 1.0, 1.0)) for _ in range(2000)])
    # The variance of the mean is 1/5 + 1/20 + 1/100; that of a single lap, 3, over 100 laps: 0.03.
    assert found == pytest.approx(0.26 / 0.03, rel=0.1)


def test_independent_laps_have_the_plain_wilson_interval() -> None:
    flags = np.ones((5, 20))
    flags[np.arange(5), 4 * np.arange(5)] = 0  # one failure a model, each on another track
    found, plain = clustered_wilson(flags), wilson(95, 100)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


def test_five_models_that_differ_altogether_are_worth_four_laps() -> None:
    flags = np.ones((5, 20))
    flags[0] = 0
    # Var of the mean of 5: 0.2 / 5; of a lap, 0.16 * 100 / 99.
    assert 100 / design_effect(flags) == pytest.approx(0.16 * (100 / 99) / (0.2 / 5))
    found = clustered_wilson(flags)
    assert found.estimate == 0.8
    assert found.low < wilson(4, 5).low < wilson(80, 100).low
    assert found.high > wilson(80, 100).high


def test_laps_that_all_went_alike_count_as_independent() -> None:
    found, plain = clustered_wilson(np.ones((5, 20))), wilson(100, 100)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))


@pytest.mark.parametrize("deviations", [(1.0, 0.3, 1.0), (0.3, 1.0, 1.0), (0.0, 0.0, 1.0)])
def test_the_bootstrap_covers_where_one_over_laps_does_not(
    deviations: tuple[float, float, float],
) -> None:
    rng = np.random.default_rng(1)
    draws = [crossed(rng, *deviations) for _ in range(300)]
    ours = [crossed_bootstrap(draw, rng) for draw in draws]
    covered = np.mean([interval.low <= 0 <= interval.high for interval in ours])
    assert covered > 0.83  # five models are few: a percentile interval of five normals covers 0.84
    if deviations[0] or deviations[1] > 0.5:
        naive = [bootstrap(draw.ravel(), rng) for draw in draws[:100]]
        assert np.mean([interval.low <= 0 <= interval.high for interval in naive]) < covered


def test_a_single_model_is_resampled_over_laps_alone() -> None:
    values = np.random.default_rng(2).exponential(10.0, (1, 400))
    found = crossed_bootstrap(values, np.random.default_rng(3))
    half = 1.96 * values.std(ddof=1) / math.sqrt(400)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.08)


def test_an_undefined_lap_is_not_averaged_away() -> None:
    values = np.ones((2, 3))
    values[1, 2] = math.nan
    assert math.isnan(crossed_bootstrap(values, np.random.default_rng(0)).estimate)


def test_models_that_drove_other_laps_are_refused() -> None:
    laps = pd.DataFrame({"model": [0, 0, 1], "lap": [0, 1, 0], "return": [1.0, 2.0, 3.0]})
    with pytest.raises(EvaluationError, match="3 laps, 4 expected"):
        matrix(laps, "return")
