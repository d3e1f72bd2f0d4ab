"""The weighted likelihood against scipy and against the gradients it is made for."""

import numpy as np
import pytest
import torch
from scipy import stats

from nsac_core.methods.gaussian import gaussian_nll

Y = torch.tensor([[0.3], [-1.0], [2.0], [0.1]])
VARIANCE = torch.tensor([[0.01], [4.0], [0.5], [1.0]])


def test_without_a_weight_it_is_the_likelihood() -> None:
    scale = VARIANCE.sqrt().numpy()
    wanted = -stats.norm.logpdf(Y.numpy(), loc=0.5, scale=scale).mean()
    found = gaussian_nll(torch.full_like(Y, 0.5), VARIANCE, Y)
    assert float(found) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_the_mean_is_taught_by_its_error_over_a_power_of_the_variance(beta: float) -> None:
    mean = torch.zeros_like(Y, requires_grad=True)
    gaussian_nll(mean, VARIANCE, Y, beta).backward()  # type: ignore[no-untyped-call]
    assert mean.grad is not None
    wanted = -(Y * VARIANCE ** (beta - 1)).numpy()
    ratio = mean.grad.numpy() / wanted
    assert np.allclose(ratio, ratio[0])
    assert ratio[0] > 0


@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_the_variance_that_is_wanted_stays_the_squared_error(beta: float) -> None:
    variance = (Y**2).requires_grad_()
    gaussian_nll(torch.zeros_like(Y), variance, Y, beta).backward()  # type: ignore[no-untyped-call]
    assert variance.grad is not None
    assert variance.grad.abs().max() < 1e-5


def test_another_scale_of_all_variances_leaves_the_size_of_the_loss() -> None:
    mean = torch.zeros_like(Y)
    once = gaussian_nll(mean, VARIANCE, Y, 0.5)
    scaled = gaussian_nll(mean * 10, VARIANCE * 100, Y * 10, 0.5)
    assert float(scaled - once) == pytest.approx(np.log(10), abs=1e-5)
