from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from policies.protocol import ACTIONS

MakeLap = Callable[..., pd.DataFrame]


@pytest.fixture
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
