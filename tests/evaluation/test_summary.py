import io
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from evaluation.labels import labelled
from evaluation.metrics import lap_table
from evaluation.summary import differences, screen_table, summarise

MakeLap = Callable[..., pd.DataFrame]


@pytest.fixture
def laps(make_lap: MakeLap) -> pd.DataFrame:
    """Ten laps, lap n with return 800 + 10 n; the last one never completes."""
    steps = [
        make_lap(50, lap=n, reward=16 + 0.2 * n, lap_complete=(np.arange(50) >= 40 + n) & (n < 9))
        for n in range(10)
    ]
    return lap_table(pd.concat(steps, ignore_index=True))


def row(summary: pd.DataFrame, metric: str) -> "pd.Series[float]":
    return summary.set_index("metric").loc[metric]  # type: ignore[return-value]


def test_means_medians_and_worst_tenths(laps: pd.DataFrame) -> None:
    returns = row(summarise(laps), "return")
    assert returns["mean"] == pytest.approx(845.0)
    assert returns["std"] == pytest.approx(np.std(800 + 10.0 * np.arange(10), ddof=1))
    assert returns["median"] == pytest.approx(845.0)
    assert returns["worst_decile"] == pytest.approx(800.0)
    assert returns["low"] < 845 < returns["high"]


def test_a_failed_lap_is_never_averaged_away(laps: pd.DataFrame) -> None:
    times = row(summarise(laps), "lap_time")
    assert times["defined"] == 9
    assert math.isnan(times["mean"])
    assert math.isnan(times["worst_decile"])  # the failed lap is the worst one
    assert times["median"] == pytest.approx((41 + 4.5) / 50)  # of ten laps, not of nine


def test_flags_are_shares_with_wilson_intervals(laps: pd.DataFrame) -> None:
    completed = row(summarise(laps), "completed")
    assert completed["mean"] == 0.9
    # statsmodels proportion_confint(9, 10, method="wilson")
    assert (completed["low"], completed["high"]) == pytest.approx((0.59585, 0.98212), abs=1e-5)


def test_differences_are_paired_with_the_first_policy(laps: pd.DataFrame) -> None:
    better = laps.assign(policy="better", **{"return": laps["return"] + 7.0})
    gaps = differences(pd.concat([laps, better], ignore_index=True)).set_index("metric")
    assert gaps.loc["return", "difference"] == pytest.approx(7.0)
    assert gaps.loc["return", "low"] == pytest.approx(7.0)
    assert (gaps["reference"] == "p").all()
    assert differences(laps).empty


def perturbed(laps: pd.DataFrame, name: str, severity: int, less: float) -> pd.DataFrame:
    return laps.assign(perturbation=name, severity=severity, **{"return": laps["return"] - less})


def test_perturbed_laps_are_not_averaged_with_clean_ones(laps: pd.DataFrame) -> None:
    both = pd.concat([laps, perturbed(laps, "blur", 2, 300.0), perturbed(laps, "blur", 3, 500.0)])
    returns = summarise(both).query("metric == 'return'")
    assert returns["laps"].tolist() == [10, 10, 10]
    assert returns["mean"].tolist() == pytest.approx([845.0, 545.0, 345.0])
    assert labelled(returns)["policy"].tolist() == ["p", "p, blur:2", "p, blur:3"]


def test_perturbed_laps_pair_with_clean_ones_and_policies_under_the_same(
    laps: pd.DataFrame,
) -> None:
    other = laps.assign(policy="q", **{"return": laps["return"] + 7.0})
    both = [laps, perturbed(laps, "colours", 3, 300.0), other, perturbed(other, "colours", 3, 20.0)]
    gaps = differences(pd.concat(both, ignore_index=True)).query("metric == 'return'")
    found = {
        (row["policy"], row["reference"]): row["difference"]
        for row in labelled(gaps).to_dict("records")
    }
    assert found == pytest.approx(
        {
            ("q", "p"): 7.0,
            ("q, colours", "p, colours"): 287.0,
            ("p, colours", "p"): -300.0,
            ("q, colours", "q"): -20.0,
        }
    )


def test_the_screen_turns_the_table_where_conditions_are_many(laps: pd.DataFrame) -> None:
    conditions = [perturbed(laps, "blur", severity, 10.0 * severity) for severity in range(1, 6)]
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(screen_table(summarise(pd.concat([laps, *conditions]))))
    (line,) = [line for line in console.export_text().splitlines() if "p, blur:5" in line]
    assert "795.0 [" in line


def test_the_screen_says_how_many_laps_are_undefined(laps: pd.DataFrame) -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(screen_table(summarise(laps)))
    text = console.export_text()
    assert "undefined on 1 of 10" in text
    assert "90.0 % [59.6 %, 98.2 %]" in text
