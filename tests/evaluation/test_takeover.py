from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation import drive_laps
from evaluation.config import EvaluateConfig
from evaluation.identity import entrants
from evaluation.metrics import REGISTRY
from policies.loading import BUNDLED

MakeLap = Callable[..., pd.DataFrame]
STATE = ["x", "y", "heading", "reward", "action_steer", "action_gas", "action_brake"]


def test_takeovers_are_stretches_and_their_share_is_of_steps(make_lap: MakeLap) -> None:
    lap = make_lap(10, taken_over=np.array([1, 1, 0, 0, 1, 0, 1, 1, 1, 0], dtype=bool))
    assert REGISTRY["takeovers"].compute(lap).value == 3
    assert REGISTRY["takeover_share"].compute(lap).value == pytest.approx(0.6)
    assert REGISTRY["takeovers"].compute(make_lap(10)).value == 0


@pytest.mark.parametrize(("threshold", "twin", "share"), [(0, "privileged", 1), (9, "nsac", 0)])
def test_without_trust_the_supervisor_drives_and_with_it_the_driver(
    threshold: float, twin: str, share: float
) -> None:
    spelling = f"selective:nsac?part=total&threshold={threshold}"
    laps, steps = drive_laps(spelling, "short,oval", renderer="fast", max_steps=40)
    _, expected = drive_laps(twin, "short,oval", renderer="fast", max_steps=40)
    pd.testing.assert_frame_equal(steps[STATE], expected[STATE])
    assert (laps["takeover_share"] == share).all()
    assert not expected["taken_over"].any()


def test_a_run_is_another_with_another_threshold_or_another_checkpoint(tmp_path: Path) -> None:
    copy = tmp_path / "clone.safetensors"
    copy.write_bytes(BUNDLED["nsac"].read_bytes())
    config = EvaluateConfig(policy=(), maps="short", out=tmp_path / "run")

    def digest(spelling: str) -> str:
        return entrants(replace(config, policy=(spelling,)))[0].sha256

    first = digest(f"selective:{copy}?threshold=0.1")
    assert digest("selective:nsac?threshold=0.1") == first
    assert digest("selective:nsac?threshold=0.2") != first
    assert digest("selective:privileged?threshold=0.1") != first
