import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from evaluation.errors import EvaluationError
from evaluation.statistics import bootstrap, iqm, paired, paired_shares, wilson, worst_decile


@pytest.mark.parametrize(("successes", "trials"), [(8, 10), (97, 100), (0, 20), (20, 20)])
def test_wilson_is_the_root_of_the_score_test(successes: int, trials: int) -> None:
    interval = wilson(successes, trials)
    z, share = stats.norm.ppf(0.975), successes / trials
    for bound in (interval.low, interval.high):  # (share - bound)^2 = z^2 bound (1 - bound) / n
        gap = (share - bound) ** 2 - z**2 * bound * (1 - bound) / trials
        assert gap == pytest.approx(0.0, abs=1e-12)
    assert interval.low <= interval.estimate <= interval.high
    assert interval.estimate == share


@pytest.mark.parametrize(("successes", "trials"), [(8, 10), (97, 100), (0, 20)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_wilson_equals_that_of_statsmodels(successes: int, trials: int, confidence: float) -> None:
    interval = wilson(successes, trials, confidence)
    expected = proportion_confint(successes, trials, alpha=1 - confidence, method="wilson")
    assert (interval.low, interval.high) == pytest.approx(expected)


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(EvaluationError, match="11 successes in 10 trials"):
        wilson(11, 10)


def test_bootstrap_of_a_mean_approaches_the_normal_interval() -> None:
    sample = np.random.default_rng(1).exponential(10.0, 400)
    interval = bootstrap(sample, np.random.default_rng(2))
    half = 1.96 * sample.std(ddof=1) / math.sqrt(400)
    assert interval.estimate == sample.mean()
    assert interval.high - interval.low == pytest.approx(2 * half, rel=0.08)


def test_bootstrap_covers_the_true_mean_of_thirty_laps() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(100):
        interval = bootstrap(rng.normal(900.0, 30.0, 30), rng)
        covered += interval.low <= 900.0 <= interval.high
    assert 87 <= covered <= 99  # 95 nominal, two standard deviations, less the percentile's bias


@pytest.mark.parametrize("statistic", [np.median, iqm, worst_decile])
def test_bootstrap_follows_its_generator(statistic: object) -> None:
    sample = np.random.default_rng(4).normal(size=40)
    first, second = (
        bootstrap(sample, np.random.default_rng(5), statistic)  # type: ignore[arg-type]
        for _ in range(2)
    )
    assert first == second
    assert first.low < first.estimate < first.high


def test_one_undefined_lap_makes_the_statistic_undefined() -> None:
    interval = bootstrap([1.0, math.nan, 3.0], np.random.default_rng(0))
    assert math.isnan(interval.estimate)


def test_one_lap_has_no_interval() -> None:
    interval = bootstrap([900.0], np.random.default_rng(0))
    assert interval.estimate == 900.0
    assert math.isnan(interval.low)


@pytest.mark.parametrize(("n", "expected"), [(20, 1.5), (7, 1.0), (11, 1.5)])
def test_worst_decile_is_the_mean_of_the_lowest_tenth(n: int, expected: float) -> None:
    values = np.random.default_rng(0).permutation(np.arange(1.0, n + 1))
    assert worst_decile(values) == expected
    assert worst_decile(np.stack([values, values + 1]), axis=-1).tolist() == [
        expected,
        expected + 1,
    ]


def test_the_interquartile_mean_leaves_the_outer_quarters_off() -> None:
    values = np.random.default_rng(0).permutation([-500.0, 0, 2, 4, 6, 8, 10, 9000, 9000])
    assert iqm(values) == np.mean([2, 4, 6, 8, 10])  # nine values: two off at each end
    assert iqm(np.stack([values, values + 1])).tolist() == [6.0, 7.0]


def test_the_interquartile_mean_of_a_normal_sample_is_its_centre_within_its_interval() -> None:
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(60):
        interval = bootstrap(rng.normal(900.0, 30.0, 40), rng, iqm)
        covered += interval.low <= 900.0 <= interval.high
    assert 51 <= covered <= 60


def laps(returns: np.ndarray[tuple[int], np.dtype[np.float64]]) -> pd.DataFrame:
    maps = [f"seed:{n}" for n in range(len(returns))]
    return pd.DataFrame({"lap": range(len(returns)), "map": maps, "seed": 0, "return": returns})


def test_pairs_are_compared_lap_by_lap_whatever_their_order() -> None:
    rng = np.random.default_rng(6)
    hardness = rng.normal(900, 50, 60)  # much larger than the difference between the policies
    first, second = laps(hardness), laps(hardness + 4 + rng.normal(0, 5, 60))
    gap = paired(first, second.sample(frac=1.0, random_state=0), "return", np.random.default_rng(7))
    reference = stats.ttest_rel(second["return"], first["return"])
    expected = reference.confidence_interval(0.95)
    assert gap.estimate == pytest.approx((second["return"] - first["return"]).mean())
    assert (gap.low, gap.high) == pytest.approx((expected.low, expected.high), abs=0.4)


def test_laps_without_a_partner_are_refused() -> None:
    first = laps(np.arange(5.0))
    with pytest.raises(EvaluationError, match="5 and 4 laps have 4 pairs"):
        paired(first, first.iloc[:4], "return", np.random.default_rng(0))


def test_paired_shares_cover_the_true_difference() -> None:
    rng = np.random.default_rng(9)
    covered = 0
    for _ in range(400):  # 30 laps: both succeed 75 %, the second alone 15 %, the first alone 5 %
        both, second, first, none = rng.multinomial(30, [0.75, 0.15, 0.05, 0.05])
        outcomes = [(1, 1)] * both + [(0, 1)] * second + [(1, 0)] * first + [(0, 0)] * none
        interval = paired_shares(*np.array(outcomes).T)
        covered += interval.low <= 0.10 <= interval.high
    assert 0.93 <= covered / 400 <= 0.99


def test_paired_shares_that_never_differ_are_not_certain_to_be_equal() -> None:
    interval = paired_shares(np.ones(10), np.ones(10))
    assert interval.estimate == 0.0
    # Agresti and Min: 0.5 added to each cell, a variance of (0.5 + 0.5) / 12^2
    assert (interval.low, interval.high) == pytest.approx((-1.96 / 12, 1.96 / 12), abs=1e-4)


def test_laps_worth_less_than_their_number_widen_the_interval_of_paired_shares() -> None:
    rng = np.random.default_rng(10)
    first, second = rng.integers(2, size=(2, 40))
    fourfold = paired_shares(np.tile(first, 4), np.tile(second, 4), design_effect=4.0)
    alone = paired_shares(first, second)
    assert (fourfold.low, fourfold.high) == pytest.approx((alone.low, alone.high))


def test_laps_that_are_no_pairs_are_refused() -> None:
    with pytest.raises(EvaluationError, match="3 and 2 laps are no pairs"):
        paired_shares([1, 0, 1], [1, 0])
