import math

import pytest
import torch

from nsac_core import ou_moments


def test_moments_match_an_euler_maruyama_simulation() -> None:
    generator = torch.Generator().manual_seed(0)
    draws = torch.rand(3, 6, generator=generator, dtype=torch.float64)
    phi, kappa, psi = draws[0] * 1.6 + 0.4, draws[1] * 3 + 0.2, draws[2] + 0.3
    t = torch.tensor([0.1, 0.3, 0.5, 0.7, 0.9, 1.0], dtype=torch.float64)
    steps, paths = 200, 100_000
    a = torch.zeros(paths, 6)
    dt = (t / steps).float()
    for _ in range(steps):
        noise = torch.randn(paths, 6, generator=generator)
        a += kappa.float() * (phi.float() - a) * dt + psi.float() * dt.sqrt() * noise
    mean, variance = ou_moments(phi, kappa, psi, t)
    sampling_error = 3 * (variance / paths).sqrt()
    assert ((a.mean(0) - mean).abs() < 0.02 * mean.abs() + sampling_error).all()
    torch.testing.assert_close(a.var(0).double(), variance, rtol=0.02, atol=0)


@pytest.mark.parametrize(
    "kappa", [0.0, 1e-12, 1e-8, 1e-6, 1e-3, 0.02, 0.024999, 0.025001, 0.3, 9.0]
)
@pytest.mark.parametrize("t", [1e-6, 0.3, 1.0])
def test_float32_values_and_gradients_match_a_longer_format(kappa: float, t: float) -> None:
    def closed_form(
        phi: float, kappa: float, psi: float, t: float
    ) -> tuple[float, float, float]:  # mean, variance, d variance / d kappa from the power series
        x = 2 * kappa * t
        growth = sum((-x) ** n / math.factorial(n + 1) for n in range(60))
        slope = sum(n * (-1) ** n * x ** (n - 1) / math.factorial(n + 1) for n in range(1, 60))
        mean = -phi * math.expm1(-kappa * t)
        return mean, psi**2 * t * growth, psi**2 * t * slope * 2 * t

    rate = torch.tensor(kappa, requires_grad=True)
    mean, variance = ou_moments(torch.tensor(0.7), rate, torch.tensor(1.3), torch.tensor(t))
    torch.autograd.backward(variance)
    expected_mean, expected_variance, expected_slope = closed_form(0.7, kappa, 1.3, t)
    assert mean.item() == pytest.approx(expected_mean, rel=1e-6, abs=1e-30)
    assert variance.item() == pytest.approx(expected_variance, rel=2e-6)
    assert rate.grad is not None
    assert rate.grad.item() == pytest.approx(expected_slope, rel=5e-5)


def test_half_precision_arguments_are_computed_in_float32() -> None:
    phi, kappa, psi, t = (torch.tensor(v, dtype=torch.float16) for v in (0.5, 6e-8, 1.0, 0.5))
    mean, variance = ou_moments(phi, kappa, psi, t)
    assert mean.dtype == variance.dtype == torch.float32
    assert variance.item() == pytest.approx(0.5, rel=1e-6)


def test_long_times_reach_the_stationary_distribution() -> None:
    mean, variance = ou_moments(*(torch.tensor(v) for v in (0.5, 2.0, 1.5, 1e4)))
    assert mean.item() == pytest.approx(0.5)
    assert variance.item() == pytest.approx(1.5**2 / 4)
