import math

import numpy as np
import pytest
import torch
from scipy import integrate, stats
from sklearn.metrics import roc_auc_score
from torch import Tensor

from nsac_core import metrics
from nsac_core.methods import Prediction


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


@pytest.mark.parametrize("score", [metrics.ece])
def test_a_calibrated_gaussian_has_no_calibration_error(score: object) -> None:
    generator = torch.Generator().manual_seed(1)
    mean, noise = torch.randn(2, 20_000, 1, generator=generator)
    std = 0.1 + torch.rand(20_000, 1, generator=generator)
    assert metrics.ece(prediction(mean, std), mean + std * noise) < 0.01


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
    """Two targets at z = 0.1 and 2: confidences 0.0797 and 0.9545, bins 0 and 9."""
    p = prediction(torch.zeros(2, 1), torch.ones(2, 1))
    first, second = (2 * stats.norm.cdf(z) - 1 for z in (0.1, 2.0))
    expected = 0.5 * abs(first - 0.0) + 0.5 * abs(second - 0.0)
    assert metrics.ece_paper(p, torch.tensor([[0.1], [2.0]])) == pytest.approx(expected)


def test_auroc_matches_scikit_learn_with_ties(case: tuple[Prediction, Tensor]) -> None:
    p, y = case
    coarse = prediction(p.mean.round(), torch.ones_like(p.mean))
    positive = (y > y.numpy().mean() * 0 + np.median(y.numpy())).flatten().numpy()
    for each in (p, coarse):
        score = stats.norm.cdf((each.mean.numpy() - np.median(y.numpy())) / each.std.numpy())
        expected = roc_auc_score(positive, score.flatten())
        assert metrics.auroc(each, y) == pytest.approx(expected)


def test_auroc_of_a_constant_predictor_is_half() -> None:
    y = torch.randn(101, 1)
    p = prediction(torch.full((101, 1), 0.3), torch.ones(101, 1))
    assert metrics.auroc(p, y) == 0.5


def test_auroc_is_undefined_for_constant_targets() -> None:
    p = prediction(torch.randn(5, 1), torch.ones(5, 1))
    assert math.isnan(metrics.auroc(p, torch.ones(5, 1)))


@pytest.mark.parametrize("score", ["mse", "mae", "nll", "crps", "ece", "ece_paper", "auroc"])
@pytest.mark.parametrize("shape", [(40,), (40, 1), (1, 2), (2, 40)])
def test_targets_that_would_broadcast_are_refused(
    case: tuple[Prediction, Tensor], score: str, shape: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r"targets must be \(40, 2\), got"):
        getattr(metrics, score)(case[0], torch.zeros(shape))


def test_a_prediction_refuses_parts_of_different_shape() -> None:
    with pytest.raises(ValueError, match=r"must all be \(batch, out\)"):
        Prediction(torch.zeros(4, 1), torch.zeros(4), torch.zeros(4, 1))
    with pytest.raises(ValueError, match=r"must all be \(batch, out\)"):
        Prediction(torch.zeros(4), torch.zeros(4), torch.zeros(4))
