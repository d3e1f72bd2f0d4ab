import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evaluation.comparison import ranked_steps
from evaluation.comparison.ranked_steps import Laps, classes, count
from evaluation.foresight import risk_coverage

LAPS = 6


def sample() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lap, score of few values, and whether it is positive, of 400 steps each."""
    rng = np.random.default_rng(0)
    lap = np.repeat(np.arange(LAPS), 400)
    score = rng.integers(0, 40, len(lap)) / 7.0
    return lap, score, rng.random(len(lap)) < 0.02 * score


def test_auroc_of_drawn_laps_is_that_of_their_steps_repeated() -> None:
    lap, score, positive = sample()
    rank = classes(score)
    hits, others = (count(lap, rank, kind.astype(float), LAPS) for kind in (positive, ~positive))
    drawn = np.array([[1, 1, 1, 1, 1, 1], [0, 3, 1, 0, 2, 0]])
    found = ranked_steps.auroc(drawn @ hits, drawn @ others)
    for times, value in zip(drawn, found, strict=True):
        steps = np.repeat(np.arange(len(lap)), times[lap])
        assert value == pytest.approx(roc_auc_score(positive[steps], score[steps]))
    false, true = ranked_steps.roc(hits.sum(0), others.sum(0))
    assert np.trapezoid(true, false) == pytest.approx(found[0])


def test_risk_is_that_of_every_step_by_itself() -> None:
    _, score, _ = sample()
    rng = np.random.default_rng(1)
    error = rng.exponential(1 + score)
    nowhere = np.zeros(len(score), dtype=np.int64)
    one, by_score = np.ones(len(score)), classes(score)
    ranked = count(nowhere, by_score, one, 1), count(nowhere, by_score, error, 1)
    _, exact = risk_coverage(score, error)
    share, curve = ranked_steps.risk(ranked[0][0], ranked[1][0])
    for place in np.flatnonzero(ranked[0][0]):
        kept = round(share[place] * len(score)) - 1
        assert curve[place] == pytest.approx(exact[kept])
    rank = classes(error)
    best = count(nowhere, rank, one, 1), count(nowhere, rank, error, 1)
    least = risk_coverage(error, error)[1].mean()
    expected = (exact.mean() - least) / (error.mean() - least)
    assert ranked_steps.excess_risk(ranked, best)[0] == pytest.approx(expected, abs=0.02)
    assert ranked_steps.excess_risk(best, best)[0] == pytest.approx(0.0)


def test_models_and_tracks_are_drawn_and_not_laps() -> None:
    laps = Laps(np.repeat([0, 1, 2], 4), np.tile([7, 8, 9, 10], 3))
    drawn = laps.weights(np.random.default_rng(0), 500).reshape(500, 3, 4)
    assert drawn.mean() == pytest.approx(1.0, abs=0.05)
    assert (drawn.sum((1, 2)) == 12).all()
    models, tracks = drawn.sum(2) / 4, drawn.sum(1) / 3
    np.testing.assert_allclose(drawn, models[:, :, None] * tracks[:, None, :])


def test_a_statistic_that_many_resamples_lack_has_no_interval() -> None:
    samples = np.append(np.linspace(0, 1, 901), [math.nan] * 99)
    assert math.isnan(ranked_steps.interval(0.5, samples).low)
    found = ranked_steps.interval(0.5, np.append(np.linspace(0, 1, 1001), [math.nan] * 20))
    assert (found.low, found.high) == pytest.approx((0.025, 0.975))
