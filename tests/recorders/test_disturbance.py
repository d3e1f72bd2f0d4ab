"""Disturbances have the spread and the memory they state."""

import numpy as np
import pytest

from recorders import Disturbance
from recorders.disturbance import DisturbanceProcess, disturb


def test_the_smooth_part_is_an_ornstein_uhlenbeck_process() -> None:
    process = DisturbanceProcess(
        Disturbance(share=1, steer=0.2, pedal=0.1, correlation=10, kick_rate=0),
        np.random.default_rng(0),
    )
    x = np.array([process.step() for _ in range(80_000)])
    # Standard error of the deviation: 80,000 steps hold about 4,000 independent ones.
    np.testing.assert_allclose(x.std(axis=0), [0.2, 0.1], rtol=0.05)
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=0.015)
    for lag in (1, 10, 20):
        correlation = np.corrcoef(x[:-lag, 0], x[lag:, 0])[0, 1]
        assert correlation == pytest.approx(np.exp(-lag / 10), abs=0.05)


def test_kicks_have_the_stated_rate_size_and_length() -> None:
    process = DisturbanceProcess(
        Disturbance(share=1, steer=0, pedal=0, kick_rate=0.02, kick=0.5, kick_steps=8),
        np.random.default_rng(1),
    )
    kick = np.array([process.step()[0] for _ in range(50_000)])
    edges = np.flatnonzero(np.diff(kick)) + 1
    runs = [run for run in np.split(kick, edges) if run[0]]
    lengths = np.array([len(run) for run in runs])
    assert lengths.max() == 8
    assert lengths.mean() == pytest.approx(4.5, rel=0.05)
    # A kick begins with probability 0.02 in each step without one: every 50 + 4.5 - 1 steps.
    assert len(runs) == pytest.approx(50_000 / 53.5, rel=0.1)
    sizes = np.array([abs(run[0]) for run in runs])
    assert sizes.max() <= 0.5
    assert sizes.mean() == pytest.approx(0.25, rel=0.1)


def test_the_stated_share_of_episodes_is_disturbed() -> None:
    noisy = [
        DisturbanceProcess(Disturbance(share=0.3), np.random.default_rng([0, i])).step().any()
        for i in range(1000)
    ]
    assert np.mean(noisy) == pytest.approx(0.3, abs=0.06)


@pytest.mark.parametrize(
    ("action", "added", "expected"),
    [
        ((0.1, 0.5, 0.0), (0.0, 0.0), (0.1, 0.5, 0.0)),
        ((0.1, 0.5, 0.0), (0.3, 0.2), (0.4, 0.7, 0.0)),
        ((0.1, 0.5, 0.0), (0.0, -0.7), (0.1, 0.0, 0.2)),
        ((-0.9, 0.0, 0.4), (-0.5, 0.6), (-1.0, 0.2, 0.0)),
        ((0.9, 0.9, 0.0), (0.5, 0.6), (1.0, 1.0, 0.0)),
    ],
)
def test_what_is_driven_stays_within_the_limits(
    action: tuple[float, ...], added: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    driven = disturb(np.array(action, np.float32), np.array(added))
    np.testing.assert_allclose(driven, expected, atol=1e-6)
