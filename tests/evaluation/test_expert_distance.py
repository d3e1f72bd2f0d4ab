from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from evaluation import EvaluationError
from evaluation.comparison.expert_distance import by_method, distances, tables

MakeLap = Callable[..., pd.DataFrame]


def test_the_distance_is_at_the_same_time_over_the_steps_both_have(make_lap: MakeLap) -> None:
    expert = make_lap(4, policy="ppo")  # x = 1, 2, 3, 4
    driver = make_lap(3, x=[1.0, 2.0, 6.0], y=[0.0, 3.0, 4.0])
    row = distances(driver, expert).iloc[0]
    assert row["expert_distance"] == pytest.approx((0 + 3 + 5) / 3)
    assert row["common_steps"] == 3


def test_it_measures_speed(make_lap: MakeLap) -> None:
    """The same path, driven a tenth slower and to a hair, is far away by the end of the lap."""
    expert = make_lap(1000, policy="ppo")
    slower = make_lap(1000, x=0.9 * expert["x"], progress=0.9 * expert["progress"])
    row = distances(slower, expert).iloc[0]
    assert row["expert_distance"] == pytest.approx(0.1 * expert["x"].mean())
    assert row["expert_distance"] > 50
    assert row["progress_gap"] == pytest.approx(0.1 * 0.5005)


def test_clones_of_a_method_share_a_row(make_lap: MakeLap, tmp_path: Path) -> None:
    laps = [("nsac-0", 1.0), ("nsac-1", 3.0), ("mc_dropout-0", 8.0), ("privileged", 0.0)]
    laps.append(("ppo", 0.0))
    steps = pd.concat(
        make_lap(50, policy=policy, y=away, lap=lap, map=f"seed:{lap}")
        for policy, away in laps
        for lap in (0, 1)
    )
    steps.to_parquet(tmp_path / "steps.parquet")
    (sheet,) = tables(tmp_path, tmp_path)
    assert [row[0] for row in sheet.rows] == ["NSAC", "MC dropout", "privileged"]
    assert sheet.rows[0][1] == "2.0 [1.0, 3.0]"
    assert "| MC dropout | 8.0" in sheet.markdown()
    experts = steps[steps["policy"] == "ppo"]
    found = by_method(distances(steps[steps["policy"] != "ppo"], experts))
    assert found["nsac"].estimate == pytest.approx(2.0)
    assert (found["nsac"].low, found["nsac"].high) == pytest.approx((1.0, 3.0))


def test_an_expert_that_did_not_drive_is_named(make_lap: MakeLap, tmp_path: Path) -> None:
    expert = make_lap(10, policy="ppo")
    with pytest.raises(EvaluationError, match="did not drive lap 0 of p, on seed:7"):
        distances(make_lap(10, map="seed:7"), expert)
    make_lap(10).to_parquet(tmp_path / "steps.parquet")
    with pytest.raises(EvaluationError, match="'ppo' drove no lap there"):
        tables(tmp_path, tmp_path)
