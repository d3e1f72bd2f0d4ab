import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc_curve

from evaluation.foresight import (
    auroc,
    coming_error,
    foresight,
    leaves_soon,
    risk_coverage,
    roc_curve,
)

MakeLap = Callable[..., pd.DataFrame]


def test_auroc_and_curve_equal_scikit_learns_with_ties() -> None:
    rng = np.random.default_rng(0)
    score = rng.integers(0, 12, 500) / 12.0
    positive = rng.random(500) < score
    assert auroc(score, positive) == pytest.approx(roc_auc_score(positive, score))
    false, true, _ = sklearn_roc_curve(positive, score, drop_intermediate=False)
    mine = roc_curve(score, positive)
    np.testing.assert_allclose(mine[0], false)
    np.testing.assert_allclose(mine[1], true)


def test_auroc_of_one_class_is_undefined() -> None:
    assert math.isnan(auroc(np.arange(5.0), np.zeros(5, dtype=bool)))


def test_risk_at_full_coverage_is_the_mean_error_and_ties_share_theirs() -> None:
    coverage, risk = risk_coverage(np.array([1.0, 0.0, 1.0, 2.0]), np.array([4.0, 1.0, 2.0, 9.0]))
    assert coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert risk.tolist() == pytest.approx([1.0, (1 + 3) / 2, (1 + 3 + 3) / 3, 4.0])


def test_the_coming_error_is_the_largest_of_the_next_second(make_lap: MakeLap) -> None:
    lap = make_lap(120, lateral_error=np.where(np.arange(120) == 60, -7.0, 1.0))
    coming = coming_error(lap)
    assert np.flatnonzero(coming == 7.0).tolist() == list(range(10, 60))
    assert np.isnan(coming[70:]).all()
    assert not np.isnan(coming[:70]).any()


def test_the_last_second_counts_only_where_the_car_does_leave(make_lap: MakeLap) -> None:
    calm = make_lap(120)
    assert leaves_soon(calm)[1].sum() == 70
    leaving = make_lap(120, wheels_off_road=np.where(np.arange(120) >= 100, 4, 0))
    leaves, known = leaves_soon(leaving)
    assert np.flatnonzero(leaves).tolist() == list(range(50, 100))
    assert np.flatnonzero(known).tolist() == list(range(100))


def test_a_planted_alarm_has_its_lead_time(make_lap: MakeLap) -> None:
    step = np.arange(1000)
    sigma = np.where((step >= 470) & (step < 490), 0.5, 0.1)
    wheels = np.where((step >= 500) & (step < 520) | (step >= 800) & (step < 805), 4, 0)
    lap = make_lap(1000, wheels_off_road=wheels, epistemic_steer=sigma)
    total, aleatoric, epistemic = foresight(lap)
    assert (total.kind, aleatoric.kind, epistemic.kind) == ("total", "aleatoric", "epistemic")
    assert epistemic.departures == 2
    assert epistemic.warned_share == 0.5  # the second departure came unannounced
    assert epistemic.lead_time == pytest.approx((30 / 50 + 0.0) / 2)
    assert epistemic.auroc > 0.55
    assert math.isnan(aleatoric.auroc)  # none stated


@pytest.mark.parametrize(("sign", "risk", "correlation"), [(1.0, 0.0, 1.0), (-1.0, 2.0, -1.0)])
def test_sigma_that_knows_the_error_is_best_and_its_opposite_worse_than_chance(
    make_lap: MakeLap, sign: float, risk: float, correlation: float
) -> None:
    lap = make_lap(900, lateral_error=np.random.default_rng(0).normal(0, 2, 900).cumsum() / 10)
    coming = np.nan_to_num(coming_error(lap))
    rated = foresight(lap.assign(aleatoric_steer=10 + sign * coming))[0]
    assert rated.rank_correlation == pytest.approx(correlation)
    assert rated.excess_risk == pytest.approx(0.0) if risk == 0.0 else rated.excess_risk > 1.5


def test_a_policy_that_states_nothing_or_nan_is_undefined(make_lap: MakeLap) -> None:
    for lap in (make_lap(200), make_lap(200, epistemic_steer=np.nan), make_lap(3)):
        for rated in foresight(lap):
            assert math.isnan(rated.auroc)
            assert math.isnan(rated.rank_correlation)
            assert math.isnan(rated.excess_risk)
