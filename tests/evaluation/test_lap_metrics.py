import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from evaluation.metrics import REGISTRY, Metric, Value, lap_table, register

MakeLap = Callable[..., pd.DataFrame]


def value(name: str, steps: pd.DataFrame) -> float:
    computed = REGISTRY[name].compute(steps)
    assert computed.valid
    return computed.value


def test_a_circle_has_the_acceleration_and_jerk_of_the_textbook(make_lap: MakeLap) -> None:
    speed, radius = 40.0, 80.0
    angle = speed / radius * np.arange(400) / 50
    lap = make_lap(400, x=radius * np.cos(angle), y=radius * np.sin(angle))
    inner = lap.iloc[10:-10]  # the filter's ends are fitted one-sidedly
    assert value("lateral_acceleration_p95", inner) == pytest.approx(speed**2 / radius, rel=0.01)
    assert value("jerk_p95", inner) == pytest.approx(speed**3 / radius**2, rel=0.01)


@pytest.mark.parametrize(("metres_per_second2", "share"), [(4.5, 1.0), (5.3, 0.0)])
def test_comfort_is_nuplans_bound_of_489_after_scaling_by_the_wheelbase(
    make_lap: MakeLap, metres_per_second2: float, share: float
) -> None:
    radius = 80.0
    speed = math.sqrt(metres_per_second2 * 3.24 / 3.089 * radius)
    angle = speed / radius * np.arange(300) / 50
    lap = make_lap(300, x=radius * np.cos(angle), y=radius * np.sin(angle))
    assert value("lateral_acceleration_comfort_share", lap) == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(("metres_per_second3", "share"), [(7.9, 1.0), (8.9, 0.0)])
def test_comfort_is_nuplans_jerk_of_837_after_scaling_by_the_wheelbase(
    make_lap: MakeLap, metres_per_second3: float, share: float
) -> None:
    radius = 80.0
    speed = (metres_per_second3 * 3.24 / 3.089 * radius**2) ** (1 / 3)
    angle = speed / radius * np.arange(300) / 50
    lap = make_lap(300, x=radius * np.cos(angle), y=radius * np.sin(angle))
    inner = lap.iloc[10:-10]  # the filter's ends are fitted one-sidedly
    assert value("jerk_comfort_share", inner) == pytest.approx(share, abs=0.06)


def test_lateral_errors_of_a_sine_in_units_and_half_widths(make_lap: MakeLap) -> None:
    lap = make_lap(1000, lateral_error=3.0 * np.sin(2 * np.pi * np.arange(1000) / 100))
    assert value("lateral_rmse", lap) == pytest.approx(3 / math.sqrt(2))
    assert value("lateral_mean", lap) == pytest.approx(3 * 2 / math.pi, rel=1e-3)
    assert value("lateral_max", lap) == pytest.approx(3.0)
    assert value("lateral_p95", lap) == pytest.approx(3 * math.sin(0.95 * math.pi / 2), rel=2e-3)
    for name in ("rmse", "mean", "p95", "max"):
        assert value(f"lateral_{name}_share", lap) == pytest.approx(
            value(f"lateral_{name}", lap) / 5.0
        )


def test_a_departure_is_all_four_wheels_off_until_one_is_back(make_lap: MakeLap) -> None:
    wheels = [0, 2, 4, 4, 3, 4, 0, 1]
    lap = make_lap(len(wheels), wheels_off_road=wheels)
    assert value("departures", lap) == 2
    assert value("off_road_share", lap) == 6 / 8
    assert value("all_wheels_off_road_share", lap) == 3 / 8


@pytest.mark.parametrize(("off_at", "clean"), [(30, 0.0), (80, 1.0)])
def test_what_happens_after_the_lap_does_not_make_it_unclean(
    make_lap: MakeLap, off_at: int, clean: float
) -> None:
    wheels = np.where(np.arange(100) == off_at, 4, 0)
    lap = make_lap(100, wheels_off_road=wheels, lap_complete=np.arange(100) >= 59)
    assert value("clean_lap", lap) == clean
    assert value("completed", lap) == 1.0
    assert value("lap_time", lap) == pytest.approx(60 / 50)


@pytest.mark.parametrize(("total", "success"), [(859.9, False), (860.0, True)])
def test_success_is_a_return_of_860(make_lap: MakeLap, total: float, success: bool) -> None:
    (lap,) = lap_table(make_lap(10, reward=[total, *[0.0] * 9])).to_dict("records")
    assert lap["return"] == total
    assert lap["success"] is success


def test_a_crash_after_three_steps_says_what_is_undefined(make_lap: MakeLap) -> None:
    (lap,) = lap_table(make_lap(3, lateral_error=2.0)).to_dict("records")
    assert lap["completed"] is False
    assert lap["clean_lap"] is False
    undefined = set(lap["undefined"].split(","))
    assert {"lap_time", "jerk_p95", "lateral_acceleration_p95", "epistemic_mean"} <= undefined
    assert all(math.isnan(lap[name]) for name in undefined)
    assert lap["lateral_rmse"] == 2.0
    assert not any(math.isnan(lap[name]) for name in REGISTRY.keys() - undefined)


def test_steering_change_and_speed(make_lap: MakeLap) -> None:
    lap = make_lap(5, action_steer=[0, 0.5, 0, -0.5, 0], speed=[10, 20, 30, 40, 50])
    assert value("steering_change", lap) == 0.5
    assert value("mean_speed", lap) == 30.0


def test_latency_is_the_median_and_the_99th_percentile(make_lap: MakeLap) -> None:
    lap = make_lap(101, latency_ms=np.arange(101.0)[::-1])
    assert value("latency_p50_ms", lap) == 50.0
    assert value("latency_p99_ms", lap) == 99.0
    assert not REGISTRY["latency_p50_ms"].compute(make_lap(3, latency_ms=math.nan)).valid


def test_laps_of_several_policies_stay_apart_and_in_order(make_lap: MakeLap) -> None:
    laps = [make_lap(20, policy=p, lap=n, reward=n) for p in ("b", "a") for n in (0, 1)]
    table = lap_table(pd.concat(laps, ignore_index=True))
    assert table["policy"].tolist() == ["b", "b", "a", "a"]
    assert table["return"].tolist() == [0.0, 20.0, 0.0, 20.0]


def test_a_class_is_all_that_a_new_metric_needs(
    make_lap: MakeLap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.metrics.base.REGISTRY", REGISTRY)
    monkeypatch.delitem(REGISTRY, "top_speed", raising=False)

    class TopSpeed(Metric):
        name = "top_speed"
        label = "Top speed"

        def compute(self, steps: pd.DataFrame) -> Value:
            return Value(float(steps["speed"].max()))

    try:
        register(TopSpeed)
        with pytest.raises(ValueError, match="top_speed"):
            register(TopSpeed)
        row = lap_table(make_lap(4, speed=[1, 9, 3, 2])).iloc[0]
    finally:
        REGISTRY.pop("top_speed", None)
    assert row["top_speed"] == 9.0
