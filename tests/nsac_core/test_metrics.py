import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scoringrules
import torch
from scipy import integrate, stats
from sklearn.metrics import roc_auc_score
from torch import Tensor

from nsac_core import metrics
from nsac_core.methods import Prediction

GUIDE = Path(__file__).parents[2] / "docs" / "metrics.md"
PARTS: list[metrics.Part] = ["total", "aleatoric", "epistemic"]


def prediction(mean: Tensor, std: Tensor, epistemic_share: float = 0.3) -> Prediction:
    variance = std.square()
    return Prediction(mean, (1 - epistemic_share) * variance, epistemic_share * variance)


@pytest.fixture
def case() -> tuple[Prediction, Tensor]:
    generator = torch.Generator().manual_seed(0)
    mean, noise = torch.randn(2, 40, 2, generator=generator, dtype=torch.float64)
    std = 0.2 + torch.rand(40, 2, generator=generator, dtype=torch.float64)
    return prediction(mean, std), mean + 1.5 * std * noise


def test_errors_and_likelihood_match_numpy_and_scipy(case: tuple[Prediction, Tensor]) -> None:
    p, y = case
    mean, std, target = p.mean.numpy(), p.std.numpy(), y.numpy()
    assert metrics.mse(p, y) == pytest.approx(((mean - target) ** 2).mean())
    assert metrics.mae(p, y) == pytest.approx(np.abs(mean - target).mean())
    assert metrics.nll(p, y) == pytest.approx(-stats.norm(mean, std).logpdf(target).mean())


def test_proper_scores_match_scoringrules(case: tuple[Prediction, Tensor]) -> None:
    p, y = case
    arguments = y.numpy(), p.mean.numpy(), p.std.numpy()
    assert metrics.crps(p, y) == pytest.approx(scoringrules.crps_normal(*arguments).mean())
    assert metrics.nll(p, y) == pytest.approx(scoringrules.logs_normal(*arguments).mean())


@pytest.mark.parametrize(("mean", "std", "y"), [(0.0, 1.0, 0.3), (2.0, 0.5, -1.0), (1.0, 3.0, 1.0)])
def test_crps_matches_its_integral(mean: float, std: float, y: float) -> None:
    cdf = stats.norm(mean, std).cdf
    below, _ = integrate.quad(lambda x: cdf(x) ** 2, mean - 40 * std, y, limit=200)
    above, _ = integrate.quad(lambda x: (1 - cdf(x)) ** 2, y, mean + 40 * std, limit=200)
    p = prediction(torch.tensor([[mean]]), torch.tensor([[std]]))
    assert metrics.crps(p, torch.tensor([[y]])) == pytest.approx(below + above, rel=1e-5)


def test_crps_at_the_mean() -> None:
    p = prediction(torch.zeros(1, 1), torch.full((1, 1), 2.0))
    assert metrics.crps(p, torch.zeros(1, 1)) == pytest.approx(2 * 0.2337, abs=2e-4)


def test_a_certain_prediction_is_scored_by_its_error_and_has_no_density() -> None:
    p = prediction(torch.zeros(3, 1), torch.zeros(3, 1))
    y = torch.tensor([[0.0], [1.0], [-3.0]])
    assert metrics.crps(p, y) == pytest.approx(4 / 3)
    assert metrics.interval_coverage(p, y) == pytest.approx(1 / 3)
    assert metrics.interval_width(p, y) == 0
    assert math.isnan(metrics.nll(p, y))


def test_a_calibrated_gaussian_covers_what_it_says() -> None:
    generator = torch.Generator().manual_seed(1)
    mean, noise = torch.randn(2, 20_000, 1, generator=generator)
    std = 0.1 + torch.rand(20_000, 1, generator=generator)
    p, y = prediction(mean, std), mean + std * noise
    assert metrics.ece(p, y) < 0.01
    for level in (0.1, 0.5, 0.9, 0.99):
        # Four standard errors of a share of 20,000.
        assert metrics.interval_coverage(p, y, level) == pytest.approx(
            level, abs=4 * math.sqrt(level * (1 - level) / 20_000)
        )


def test_calibration_is_the_spread_of_the_probability_integral_transform(
    case: tuple[Prediction, Tensor],
) -> None:
    p, y = case
    transform = stats.norm.cdf(y.numpy(), p.mean.numpy(), p.std.numpy())
    levels, coverage = metrics.calibration_curve(p, y)
    np.testing.assert_allclose(levels, np.arange(0.05, 1, 0.1))
    expected = [(np.abs(transform - 0.5) <= level / 2).mean() for level in levels.numpy()]
    np.testing.assert_allclose(coverage, expected)
    assert metrics.ece(p, y) == pytest.approx(np.abs(expected - levels.numpy()).mean())
    lower, upper = stats.norm.interval(0.8, p.mean.numpy(), p.std.numpy())
    inside = (lower <= y.numpy()) & (y.numpy() <= upper)
    assert metrics.interval_coverage(p, y, level=0.8) == pytest.approx(inside.mean())
    assert metrics.interval_width(p, y, level=0.8) == pytest.approx((upper - lower).mean())
    assert metrics.sharpness(p, y) == pytest.approx(p.std.numpy().mean())


@pytest.mark.parametrize("level", [0.0, 1.0, 90.0, math.nan])
def test_a_level_that_is_no_probability_is_refused(
    case: tuple[Prediction, Tensor], level: float
) -> None:
    for score in (metrics.interval_coverage, metrics.interval_width):
        with pytest.raises(ValueError, match="level must lie between 0 and 1"):
            score(*case, level)


def test_ece_of_a_known_miscalibration() -> None:
    """Errors half as large as stated: coverage of level p is P(|z| < 2 z_p)."""
    generator = torch.Generator().manual_seed(2)
    noise = torch.randn(200_000, 1, generator=generator)
    levels = np.arange(0.05, 1, 0.1)
    coverage = 2 * stats.norm.cdf(2 * stats.norm.ppf((1 + levels) / 2)) - 1
    expected = np.abs(coverage - levels).mean()
    p = prediction(torch.zeros(200_000, 1), torch.ones(200_000, 1))
    assert metrics.ece(p, 0.5 * noise) == pytest.approx(expected, abs=2e-3)


def test_ece_paper_by_hand() -> None:
    """Targets at z = 0.1, 2 and 40: confidences 0.0797, 0.9545 and 1, bins 0, 9 and 9."""
    p = prediction(torch.zeros(3, 1), torch.ones(3, 1))
    first, second = (2 * stats.norm.cdf(z) - 1 for z in (0.1, 2.0))
    expected = 1 / 3 * abs(first - 0.0) + 2 / 3 * abs((second + 1) / 2 - 0.0)
    assert metrics.ece_paper(p, torch.tensor([[0.1], [2.0], [40.0]])) == pytest.approx(expected)


def test_auroc_matches_scikit_learn_with_ties(case: tuple[Prediction, Tensor]) -> None:
    p, y = case
    coarse = prediction(p.mean.round(), torch.ones_like(p.mean))
    positive = (y.numpy() > np.median(y.numpy())).flatten()
    for each in (p, coarse):
        score = stats.norm.cdf((each.mean.numpy() - np.median(y.numpy())) / each.std.numpy())
        expected = roc_auc_score(positive, score.flatten())
        assert metrics.auroc(each, y) == pytest.approx(expected)


def test_auroc_of_a_constant_predictor_is_half() -> None:
    y = torch.randn(101, 1)
    p = prediction(torch.full((101, 1), 0.3), torch.ones(101, 1))
    assert metrics.auroc(p, y) == 0.5


def test_a_target_at_the_median_does_not_exceed_it() -> None:
    p = prediction(torch.tensor([[0.0], [2.0], [1.0]]), torch.ones(3, 1))
    assert metrics.auroc(p, torch.tensor([[0.0], [1.0], [2.0]])) == 0.5


def test_auroc_is_undefined_for_constant_targets() -> None:
    p = prediction(torch.randn(5, 1), torch.ones(5, 1))
    assert math.isnan(metrics.auroc(p, torch.ones(5, 1)))


def test_auroc_of_a_very_confident_predictor_still_ranks() -> None:
    """Nine and ten standard deviations above the median have the same float64 probability."""
    y = torch.tensor([[0.0], [9.0], [10.0]])
    p = prediction(torch.tensor([[-1.0], [9.0], [10.0]]) + 9, torch.ones(3, 1))
    assert metrics.auroc(p, y) == 1.0


@pytest.mark.parametrize("by", PARTS)
def test_risk_coverage_is_the_mean_over_all_orders_of_ties(by: metrics.Part) -> None:
    generator = torch.Generator().manual_seed(3)
    mean, y = torch.randn(2, 6, 2, generator=generator, dtype=torch.float64)
    aleatoric = torch.tensor([3.0, 1.0, 3.0, 2.0, 3.0, 1.0], dtype=torch.float64)[:, None]
    epistemic = torch.tensor([1.0, 1.0, 2.0, 0.0, 2.0, 2.0], dtype=torch.float64)[:, None]
    p = Prediction(mean, aleatoric.expand(6, 2), epistemic.expand(6, 2))
    parts = {"total": aleatoric + epistemic, "aleatoric": aleatoric, "epistemic": epistemic}
    key = parts[by].flatten().numpy()
    error = ((mean - y) ** 2).mean(1).numpy()
    orders = [
        list(o) for o in itertools.permutations(range(6)) if (np.diff(key[list(o)]) >= 0).all()
    ]
    expected = np.mean([np.cumsum(error[order]) / np.arange(1, 7) for order in orders], axis=0)
    coverage, risk = metrics.risk_coverage(p, y, by)
    np.testing.assert_allclose(coverage, np.arange(1, 7) / 6)
    np.testing.assert_allclose(risk, expected)
    assert metrics.aurc(p, y, by) == pytest.approx(expected.mean())


def test_aurc_lies_between_the_best_and_the_worst_order() -> None:
    """Errors 1, 2, 3: kept best first the risks are 1, 5/2 and 14/3."""
    y = torch.tensor([[1.0], [2.0], [3.0]])
    right, wrong, level = (prediction(torch.zeros(3, 1), std) for std in (y, 4 - y, 0 * y + 1))
    assert metrics.aurc(right, y) == pytest.approx((1 + 5 / 2 + 14 / 3) / 3)
    assert metrics.aurc(wrong, y) == pytest.approx((9 + 13 / 2 + 14 / 3) / 3)
    assert metrics.aurc(level, y) == pytest.approx(metrics.mse(level, y))


@pytest.mark.parametrize("by", PARTS)
def test_error_rank_correlation_matches_scipy_with_ties(by: metrics.Part) -> None:
    generator = torch.Generator().manual_seed(4)
    y, aleatoric, epistemic = torch.randint(1, 5, (3, 40, 2), generator=generator).double()
    p = Prediction(torch.zeros(40, 2), aleatoric, epistemic)
    parts = {"total": aleatoric + epistemic, "aleatoric": aleatoric, "epistemic": epistemic}
    expected = stats.spearmanr(y.flatten(), parts[by].sqrt().flatten()).statistic
    assert metrics.error_rank_correlation(p, y, by) == pytest.approx(expected)


def test_error_rank_correlation_of_a_constant_is_undefined() -> None:
    p = prediction(torch.zeros(5, 1), torch.ones(5, 1))
    assert math.isnan(metrics.error_rank_correlation(p, torch.randn(5, 1)))


@pytest.mark.parametrize("by", PARTS)
def test_ood_auroc_matches_scikit_learn(by: metrics.Part) -> None:
    generator = torch.Generator().manual_seed(5)
    parts = torch.randint(0, 4, (2, 70, 3), generator=generator).double()
    parts[:, 30:] += torch.tensor([1.0, 2.0])[:, None, None]
    inside, outside = (
        Prediction(torch.zeros(n, 3), *parts[:, rows])
        for n, rows in ((30, slice(30)), (40, slice(30, 70)))
    )
    score = {"total": parts.sum(0), "aleatoric": parts[0], "epistemic": parts[1]}[by].mean(1)
    expected = roc_auc_score(np.arange(70) >= 30, score)
    assert metrics.ood_auroc(inside, outside, by) == pytest.approx(expected)
    assert metrics.ood_auroc(outside, inside, by) == pytest.approx(1 - expected)


def test_ood_auroc_of_a_method_without_epistemic_uncertainty_is_half() -> None:
    certain = prediction(torch.randn(9, 1), torch.rand(9, 1), epistemic_share=0.0)
    assert metrics.ood_auroc(certain, certain) == 0.5


@pytest.mark.parametrize("shape", [(4, 2), (0, 1)])
def test_ood_auroc_refuses_what_it_cannot_compare(shape: tuple[int, int]) -> None:
    one = prediction(torch.zeros(4, 1), torch.ones(4, 1))
    other = prediction(torch.zeros(shape), torch.ones(shape))
    for pair in ((one, other), (other, one)):
        with pytest.raises(ValueError, match="rows of the same outputs"):
            metrics.ood_auroc(*pair)


def test_an_unknown_part_is_refused(case: tuple[Prediction, Tensor]) -> None:
    scores: list[Callable[..., object]] = [metrics.risk_coverage, metrics.aurc]
    for score in (*scores, metrics.error_rank_correlation):
        with pytest.raises(ValueError, match="one of total, aleatoric, epistemic, got 'mean'"):
            score(*case, by="mean")


def test_several_outputs_count_as_the_values_of_one(case: tuple[Prediction, Tensor]) -> None:
    p, y = case
    flat = Prediction(*(part.reshape(-1, 1) for part in (p.mean, p.aleatoric, p.epistemic)))
    for name, score in metrics.METRICS.items():
        if name != "aurc":  # refuses whole rows
            assert score(p, y) == pytest.approx(score(flat, y.reshape(-1, 1))), name


def test_scores_of_a_single_row() -> None:
    p, y = prediction(torch.zeros(1, 1), torch.ones(1, 1)), torch.full((1, 1), 0.5)
    scores = {name: score(p, y) for name, score in metrics.METRICS.items()}
    assert {name for name, value in scores.items() if math.isnan(value)} == {
        "auroc",
        "rank_correlation",
    }
    assert scores["aurc"] == scores["mse"] == 0.25
    assert scores["coverage_90"] == 1


@pytest.mark.parametrize("score", metrics.METRICS)
@pytest.mark.parametrize("lost", ["mean", "aleatoric", "epistemic", "y"])
def test_a_diverged_prediction_has_no_score(
    case: tuple[Prediction, Tensor], score: str, lost: str
) -> None:
    p, y = case
    parts = {"mean": p.mean, "aleatoric": p.aleatoric, "epistemic": p.epistemic, "y": y}
    parts[lost] = parts[lost].clone()
    parts[lost][7, 1] = math.nan
    value = metrics.METRICS[score](Prediction(*list(parts.values())[:3]), parts["y"])
    unread = {"mse", "mae"} if lost in ("aleatoric", "epistemic") else {"sharpness", "width_90"}
    assert math.isnan(value) == (score not in unread)


@pytest.mark.parametrize("score", metrics.METRICS.values(), ids=metrics.METRICS)
@pytest.mark.parametrize("shape", [(40,), (40, 1), (1, 2), (2, 40)])
def test_targets_that_would_broadcast_are_refused(
    case: tuple[Prediction, Tensor], score: Callable[..., float], shape: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r"targets must be \(40, 2\), got"):
        score(case[0], torch.zeros(shape))


@pytest.mark.parametrize("score", metrics.METRICS.values(), ids=metrics.METRICS)
def test_an_empty_batch_is_refused(score: Callable[..., float]) -> None:
    empty = torch.zeros(0, 2)
    with pytest.raises(ValueError, match="there must be targets"):
        score(Prediction(empty, empty, empty), empty)


def test_a_prediction_refuses_parts_of_different_shape() -> None:
    with pytest.raises(ValueError, match=r"must all be \(batch, out\)"):
        Prediction(torch.zeros(4, 1), torch.zeros(4), torch.zeros(4, 1))
    with pytest.raises(ValueError, match=r"must all be \(batch, out\)"):
        Prediction(torch.zeros(4), torch.zeros(4), torch.zeros(4))


def test_the_guide_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    code, shown = (
        re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("python", "text")
    )
    exec(compile(code[0], GUIDE.name, "exec"), {})
    printed = capsys.readouterr().out.split()
    for got, expected in zip(printed, shown[0].split(), strict=True):
        if re.fullmatch(r"-?\d+\.\d+", expected):
            assert float(got) == pytest.approx(float(expected), abs=0.02)
        else:
            assert got == expected


def test_the_guide_names_every_metric() -> None:
    named = set(re.findall(r"`(\w+)", GUIDE.read_text(encoding="utf-8")))
    functions = {name for name in metrics.__all__ if name.islower()}
    assert named >= {*metrics.METRICS, *functions}
