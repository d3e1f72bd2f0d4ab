"""Evidential regression against scipy's distributions."""

import numpy as np
import pytest
import scipy.stats
import torch
from torch import nn

from nsac_core import methods
from nsac_core.methods import Evidential
from nsac_core.methods.evidential import NormalInverseGamma


def method(**options: object) -> Evidential:
    torch.manual_seed(0)
    built = methods.build("evidential", nn.Identity(), 3, 2, model_dim=16, heads=4, **options)
    assert isinstance(built, Evidential)
    return built


def evidence(rows: int = 50) -> NormalInverseGamma:
    raw = 2 * torch.randn(rows, 8, generator=torch.Generator().manual_seed(1))
    return NormalInverseGamma.of(raw)


def test_likelihood_is_a_student_t() -> None:
    e = evidence()
    y = torch.randn(50, 2, generator=torch.Generator().manual_seed(2))
    gamma, nu, alpha, beta = (part.double().numpy() for part in (e.gamma, e.nu, e.alpha, e.beta))
    scale = np.sqrt(beta * (1 + nu) / (nu * alpha))
    expected = -scipy.stats.t.logpdf(y.numpy(), df=2 * alpha, loc=gamma, scale=scale)
    np.testing.assert_allclose(e.nll(y), expected, rtol=2e-4, atol=2e-4)


def test_moments_are_those_of_the_drawn_gaussians() -> None:
    """Variance from an inverse gamma, mean from a normal given it."""
    raw = torch.tensor([[0.3, 1.0, 4.0, 0.5]])  # alpha 5, so that moments of draws converge
    e = NormalInverseGamma.of(raw)
    rng = np.random.default_rng(0)
    variance = scipy.stats.invgamma.rvs(
        float(e.alpha), scale=float(e.beta), size=400_000, random_state=rng
    )
    mean = rng.normal(float(e.gamma), np.sqrt(variance / float(e.nu)))
    prediction = e.prediction
    assert float(prediction.mean) == pytest.approx(mean.mean(), abs=3e-3)
    assert float(prediction.aleatoric) == pytest.approx(variance.mean(), rel=0.01)
    assert float(prediction.epistemic) == pytest.approx(mean.var(), rel=0.01)


def test_alpha_exceeds_one_and_nothing_overflows_whatever_the_network_says() -> None:
    e = NormalInverseGamma.of(torch.tensor([[0.0, -200.0, -200.0, -200.0], [0.0, 90, 90, 90]]))
    assert bool((e.alpha > 1).all())
    assert bool((e.nu > 0).all())
    prediction = e.prediction
    assert bool((prediction.aleatoric >= 0.99e-6).all())
    assert bool(prediction.variance.isfinite().all())
    assert bool(e.nll(torch.tensor([[3.0], [3.0]])).isfinite().all())
    trained = method().evidence(torch.randn(30, 5, 3))
    assert bool((trained.alpha > 1).all())


def test_loss_adds_the_penalty_of_wrong_evidence() -> None:
    der, x, y = method(evidence_penalty=0.5), torch.randn(9, 5, 3), torch.randn(9, 2)
    e = der.evidence(x)
    penalty = ((y - e.gamma).abs() * (2 * e.nu + e.alpha)).mean()
    torch.testing.assert_close(der.loss(x, y), e.nll(y).mean() + 0.5 * penalty)
    assert method().evidence_penalty == 0.01
    assert der.student_t_nll(x, y) == pytest.approx(e.nll(y).mean().item(), rel=1e-6)
    with pytest.raises(ValueError, match=r"targets must be \(9, 2\)"):
        der.student_t_nll(x, y[:, 0])
