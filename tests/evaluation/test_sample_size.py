import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import power_proportions_2indep

from evaluation.cli import main
from evaluation.errors import EvaluationError
from evaluation.sample_size import laps_needed


@pytest.mark.parametrize(
    ("first", "second", "power", "confidence"),
    [(0.8, 0.9, 0.8, 0.95), (0.5, 0.2, 0.9, 0.95), (0.97, 0.99, 0.8, 0.99)],
)
def test_the_laps_just_reach_the_power_that_statsmodels_finds(
    first: float, second: float, power: float, confidence: float
) -> None:
    laps = laps_needed(first, second, power, confidence)
    reached = [
        power_proportions_2indep(
            first - second, second, n, alpha=1 - confidence, return_results=False
        )
        for n in (laps - 1, laps)
    ]
    assert reached[0] < power <= reached[1]


def test_80_from_90_per_cent_takes_199_laps() -> None:
    assert (
        laps_needed(0.8, 0.9) == laps_needed(0.9, 0.8) == 199
    )  # as the method of statsmodels has it


@pytest.mark.parametrize("correlation", [0.0, 0.4])
def test_paired_laps_have_the_power_in_a_simulation_of_mcnemars_test(correlation: float) -> None:
    first, second = 0.8, 0.9
    laps = laps_needed(first, second, correlation=correlation)
    both = first * second + correlation * math.sqrt(first * 0.2 * second * 0.1)
    only = (first - both, second - both)
    rng = np.random.default_rng(0)
    wins = rng.multinomial(laps, [*only, 1 - sum(only)], size=4000)[:, :2]
    z = (wins[:, 1] - wins[:, 0]) / np.sqrt(wins.sum(axis=1))
    # Connor's formula errs on the safe side where few laps are decided by one policy alone.
    assert 0.79 < np.mean(np.abs(z) > stats.norm.ppf(0.975)) < 0.85


def test_what_the_two_policies_share_saves_laps() -> None:
    alone = laps_needed(0.8, 0.9)
    assert laps_needed(0.8, 0.9, correlation=0.5) < 0.6 * alone


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.8, 0.8), "the shares are equal"),
        ((80, 0.9), "share is 80, expected 0 to 1"),
        ((0.8, 0.9, 1.0), "power is 1, expected between"),
        ((0.5, 0.9, 0.8, 0.95, 0.9), "correlation is 0.9, which shares of 0.5 and 0.9 cannot have"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        laps_needed(*arguments)


def test_the_command_says_both(capsys: pytest.CaptureFixture[str]) -> None:
    main(["laps-needed", "0.8", "0.9"])
    printed = capsys.readouterr().out
    assert "199 laps of each policy" in printed
    assert "146 laps of each policy" in printed
