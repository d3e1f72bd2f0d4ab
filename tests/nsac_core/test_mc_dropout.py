"""Dropout at prediction: passes differ, and their moments are what theory and numpy say."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from nsac_core import methods
from nsac_core.methods import MCDropout


def method(**options: object) -> MCDropout:
    torch.manual_seed(0)
    built = methods.build("mc_dropout", nn.Identity(), 3, 2, model_dim=16, heads=4, **options)
    assert isinstance(built, MCDropout)
    return built.eval()


def tokens() -> Tensor:
    return torch.randn(7, 5, 3, generator=torch.Generator().manual_seed(1))


def test_passes_differ_and_the_epistemic_variance_is_theirs() -> None:
    mcd, generator = method(), torch.Generator().manual_seed(3)
    passes = [mcd.predict(tokens(), n_samples=1, generator=generator) for _ in range(3)]
    assert not torch.equal(passes[0].mean, passes[1].mean)
    together = mcd.predict(tokens(), n_samples=3, generator=torch.Generator().manual_seed(3))
    means = np.stack([part.mean.detach().numpy() for part in passes])
    np.testing.assert_allclose(together.mean.detach(), means.mean(0), rtol=1e-5)
    np.testing.assert_allclose(together.epistemic.detach(), means.var(0), rtol=1e-3, atol=1e-8)


def test_variance_is_that_of_independent_bernoulli_masks() -> None:
    """Of sum w f m / (1 - p), with masks m kept at rate 1 - p: sum (w f)^2 p / (1 - p)."""
    mcd = method(dropout=0.3)
    with torch.no_grad():
        features = mcd.attention(tokens())
        terms = features[:, None, :] * mcd.head.mean.weight
        expected = terms.square().sum(-1) * 0.3 / 0.7
        generator = torch.Generator().manual_seed(0)
        prediction = mcd.predict(tokens(), n_samples=20_000, generator=generator)
        exact = mcd.head(features)[0]
    torch.testing.assert_close(prediction.epistemic, expected, rtol=0.05, atol=0)
    standard_error = (expected / 20_000).sqrt()
    assert bool(((prediction.mean - exact).abs() < 5 * standard_error).all())


def test_no_dropout_is_certain_and_a_bad_rate_is_refused() -> None:
    assert bool((method(dropout=0.0).predict(tokens()).epistemic < 1e-12).all())
    with pytest.raises(ValueError, match=r"dropout must lie in \[0, 1\), got 1.0"):
        method(dropout=1.0)
    with pytest.raises(ValueError, match="n_samples must be at least 1, got 0"):
        method().predict(tokens(), n_samples=0)
