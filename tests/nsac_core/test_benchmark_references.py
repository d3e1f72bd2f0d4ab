"""The reference regressors find what data were made from."""

import numpy as np
import pytest
import torch

from nsac_core import metrics
from nsac_core.benchmarks.data_sets import Table
from nsac_core.benchmarks.parts import Split
from nsac_core.benchmarks.references import REFERENCES
from nsac_core.benchmarks.splits import split

NOISE = 0.1


def parts_of(bend: float, rows: int = 300) -> Split:
    """Target ``3 + x0 + bend sin(6 x0)`` plus noise, divided by its maximum; x1 does not matter."""
    rng = np.random.default_rng(1)
    x = rng.uniform(size=(rows, 2))
    y = 3 + x[:, 0] + bend * np.sin(6 * x[:, 0]) + rng.normal(0, NOISE, rows)
    return split(Table(x, y / y.max()), 0)


def noise_of(parts: Split) -> float:
    """Variance of the noise in scaled units: the scaled slope tells the scale."""
    x, y = parts.train.x[:, :1].double(), parts.train.y.double()
    design = torch.cat([x, torch.ones_like(x), torch.sin(6 * x)], 1)
    slope = float(torch.linalg.lstsq(design, y).solution[0])
    return (NOISE * slope) ** 2


@pytest.mark.parametrize("name", ["ridge", "gp", "mlp"])
def test_noise_is_found(name: str) -> None:
    parts = parts_of(bend=0.0)
    predict = REFERENCES[name].fit(parts, 0)
    found = predict(parts.test.x)
    assert float(found.aleatoric.mean()) == pytest.approx(noise_of(parts), rel=0.5)
    assert metrics.mse(found, parts.test.y) < 2 * noise_of(parts)


@pytest.mark.parametrize(("name", "learns"), [("ridge", False), ("gp", True), ("mlp", True)])
def test_who_can_follow_a_bend(name: str, learns: bool) -> None:
    parts = parts_of(bend=1.0)
    found = REFERENCES[name].fit(parts, 0)(parts.test.x)
    assert (metrics.mse(found, parts.test.y) < 0.1 * float(parts.test.y.var())) == learns


@pytest.mark.parametrize("name", ["ridge", "gp"])
def test_doubt_grows_away_from_the_data(name: str) -> None:
    parts = parts_of(bend=0.0)
    predict = REFERENCES[name].fit(parts, 0)
    near, far = predict(torch.full((1, 2), 0.5)), predict(torch.full((1, 2), 5.0))
    assert float(far.epistemic) > 10 * float(near.epistemic)


def test_a_large_set_decides_the_kernel_by_some_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nsac_core.benchmarks.references.tabular.ROWS_OF_KERNEL", 60)
    parts = parts_of(bend=1.0)
    found = REFERENCES["gp"].fit(parts, 0)(parts.test.x)
    assert metrics.mse(found, parts.test.y) < 0.1 * float(parts.test.y.var())


def test_the_constant_is_the_training_targets_own() -> None:
    parts = parts_of(bend=1.0)
    found = REFERENCES["constant"].fit(parts, 0)(parts.test.x)
    y = parts.train.y.double().numpy()
    np.testing.assert_allclose(found.mean.numpy(), y.mean())
    np.testing.assert_allclose(found.variance.numpy(), y.var())
