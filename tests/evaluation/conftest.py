from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluation.inspection.report.evidence import Evidence
from evaluation.inspection.seen_laps import SeenLap
from policies.protocol import ACTIONS

MakeLap = Callable[..., pd.DataFrame]


@pytest.fixture(scope="session")
def make_lap() -> MakeLap:
    """A lap of n uneventful steps along the x axis at 50 units/s; columns given replace these."""

    def make(n: int = 200, **columns: Any) -> pd.DataFrame:  # noqa: ANN401
        steps = pd.DataFrame({"step": np.arange(n)})
        identity: dict[str, Any] = {
            "policy": "p",
            "lap": 0,
            "map": "seed:42",
            "seed": 0,
            "renderer": "none",
        }
        steps = steps.assign(**identity, perturbation="none", severity=0)
        steps["time"] = (steps["step"] + 1) / 50
        steps["x"] = steps["time"] * 50.0
        steps["progress"] = (steps["step"] + 1) / n
        steps["speed"] = 50.0
        steps["half_width"] = 5.0
        for name in ("y", "heading", "lateral_error", "heading_error", "curvature", "reward"):
            steps[name] = 0.0
        steps["wheels_off_road"] = 0
        steps["lap_complete"] = False
        steps["latency_ms"] = 1.0
        steps["taken_over"] = False
        for part in ("action", "mean", "aleatoric", "epistemic"):
            for action in ACTIONS:
                steps[f"{part}_{action}"] = 0.0
        return steps.assign(**columns)

    return make


@pytest.fixture(scope="session")
def inspected(make_lap: MakeLap) -> list[Evidence]:
    """Three laps on one map: a complete one that left the road, a crash after 3 steps, NaN sigma.

    The gray level of a frame is its step's number, modulo 256; its saliency is one pixel, in the
    column of its step's number.
    """
    n = np.arange(300)
    whole = make_lap(
        300,
        policy="nsac",
        lateral_error=np.sin(n / 30),
        action_steer=np.sin(n / 20),
        mean_steer=np.sin(n / 20),
        aleatoric_steer=np.where(n // 10 == 14, 0.4, 0.1),
        epistemic_steer=0.01,
        wheels_off_road=np.where((n >= 170) & (n < 180), 4, 0),
        lap_complete=n > 290,
        terminated=n == 299,
    )
    crashed = make_lap(3, policy="ppo", reward=-30.0, terminated=np.arange(3) == 2)
    unsure = make_lap(120, policy="custom:made", epistemic_steer=np.nan, terminated=False)
    laps = [
        SeenLap(
            str(steps["policy"].iloc[0]), 0, "seed:42", Path("seen"), _frames(len(steps)), steps
        )
        for steps in (whole, crashed, unsure)
    ]
    saliency = np.zeros((300, 84, 84), dtype=np.uint8)
    saliency[n, 40, n % 84] = 255
    shares = {"road": np.full(300, 0.75), "grass": np.full(300, 0.25)}
    traces = pd.DataFrame(
        {"phi": np.cos(n / 9)} | {f"inter_{i:02d}": np.sin(n / (5 + 3 * i)) for i in range(6)}
    )
    return [
        Evidence(laps[0], saliency, shares, traces, "gradcam, steer"),
        Evidence(laps[1]),
        Evidence(laps[2]),
    ]


def _frames(n: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.tile((np.arange(n) % 256).astype(np.uint8)[:, None, None], (1, 84, 84))
