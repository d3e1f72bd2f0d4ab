"""What drives and laps of the stand-in amount to."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluation.udacity.measures import drive_table, lap_table


def drive(n: int = 1000, laps: float = 2.5, **columns: Any) -> pd.DataFrame:  # noqa: ANN401
    """A drive of n frames at 10 m/s, half a metre to the left."""
    progress = laps * np.arange(n + 1) / n
    return pd.DataFrame(
        {
            "policy": "p",
            "track": "lake",
            "late_ms": 0,
            "perturbation": "none",
            "severity": 0,
            "seed": 0,
            "time": 0.06 * np.arange(1, n + 1),
            "seconds": 0.06,
            "progress_before": progress[:-1],
            "progress": progress[1:],
            "speed": 10.0,
            "lateral_error": 0.5,
            "heading_error": 0.0,
            "half_width": 3.5,
            "interventions": 0,
            "action_steer": 0.01 * (np.arange(n) % 2),
            "aleatoric_steer": 0.0,
            "epistemic_steer": 0.0,
            "latency_ms": 4.0,
        }
    ).assign(**columns)


def test_autonomy_is_nvidias() -> None:
    interventions = np.zeros(1000, dtype=int)
    interventions[[100, 900]] = 1
    (row,) = drive_table(drive(interventions=interventions)).to_dict("records")
    # Ten interventions in 600 s are 90 % (Bojarski et al. 2016); here two in 60 s are 80 %.
    assert row["autonomy"] == pytest.approx(0.8)
    assert row["interventions"] == 2
    assert row["interventions_a_lap"] == pytest.approx(2 / 2.5)
    assert row["seconds"] == pytest.approx(60.0)


def test_a_hopeless_drive_has_no_negative_autonomy() -> None:
    (row,) = drive_table(drive(interventions=1)).to_dict("records")
    assert row["autonomy"] == 0


def test_a_drive_has_its_errors_in_metres_and_its_smoothness_by_frame() -> None:
    error = np.where(np.arange(1000) < 500, 3.0, -4.0)
    (row,) = drive_table(drive(lateral_error=error)).to_dict("records")
    assert row["lateral_rmse"] == pytest.approx(np.sqrt(12.5))
    assert row["lateral_max"] == 4.0
    assert row["steering_change"] == pytest.approx(0.01)
    assert row["mean_speed"] == pytest.approx(10.0)
    assert row["latency_p50_ms"] == pytest.approx(4.0)
    assert np.isnan(row["epistemic_mean"])


def test_laps_are_told_apart_and_a_broken_off_one_is_not_whole() -> None:
    interventions = np.zeros(1000, dtype=int)
    interventions[[399, 400, 950]] = 1
    laps = lap_table(drive(interventions=interventions))
    assert laps["lap"].tolist() == [0, 1, 2]
    assert laps["interventions"].tolist() == [1, 1, 1]
    np.testing.assert_allclose(laps["laps"], [1.0, 1.0, 0.5])
    np.testing.assert_allclose(laps["seconds"], [24.0, 24.0, 12.0])


def test_drives_under_other_conditions_are_told_apart() -> None:
    both = pd.concat([drive(), drive(late_ms=100, lateral_error=1.0)], ignore_index=True)
    drives = drive_table(both)
    assert drives["late_ms"].tolist() == [0, 100]
    assert drives["lateral_rmse"].tolist() == [0.5, 1.0]
