import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from pandas.testing import assert_frame_equal

from evaluation import EvaluationError, drive_laps
from evaluation.inspection.recorder import FrameRecorder, LapRecorder
from evaluation.inspection.seen_laps import drive_and_see, see_run, seen_laps
from evaluation.observer import Moment
from policies import Policy

BLINDFOLD, SCRIPTED = "closed_loop_policies:Blindfold", "closed_loop_policies:Scripted"
TIMES = {"latency_ms"}


class Poses(LapRecorder):
    """Notes where each car stands when the decision is taken, and what was decided."""

    file = "poses.npz"

    def __init__(self, policy: Policy, n: int) -> None:
        super().__init__(policy, n)
        self.rows: list[list[NDArray[np.float64]]] = [[] for _ in range(n)]

    def seen(self, moment: Moment) -> None:
        assert len(moment.worlds) == len(moment.running) == len(moment.observations)
        for car in moment.cars:
            assert len(self.rows[car]) == moment.step
            hull = moment.worlds[car].car
            assert hull is not None
            pose = np.array(hull.hull.position)
            self.rows[car].append(np.concatenate([pose, moment.decision.action[car]]))

    def save(self, car: int, file: Path) -> None:
        with file.open("wb") as opened:  # numpy would add .npz to the name
            np.savez(opened, rows=np.stack(self.rows[car]))


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)


def test_looking_on_changes_nothing_and_sees_the_state_before_the_step(tmp_path: Path) -> None:
    policies = [BLINDFOLD, SCRIPTED]
    seen = drive_and_see(policies, "oval,seed:3", tmp_path, observers=[Poses], max_steps=8)
    order = [(lap.policy, lap.lap) for lap in seen]
    assert order == [(policy, lap) for policy in policies for lap in (0, 1)]
    _, alone = drive_laps(BLINDFOLD, "oval,seed:3", max_steps=8)
    together = pd.concat([lap.steps for lap in seen[:2]], ignore_index=True)
    plain = [name for name in alone if name not in (*TIMES, "policy")]
    assert_frame_equal(together[plain], alone[plain])
    for lap in seen:
        with np.load(lap.folder / "poses.npz") as arrays:
            rows = arrays["rows"]
        # A row of the steps is the state that a decision led to: the one the next was taken in.
        np.testing.assert_allclose(rows[1:, :2], lap.steps[["x", "y"]][:-1], atol=1e-9)
        actions = lap.steps[[f"action_{name}" for name in ("steer", "gas", "brake")]]
        np.testing.assert_array_equal(rows[:, 2:].astype(np.float32), actions)


def test_frames_are_those_of_the_decisions_and_only_of_drivers_that_look(tmp_path: Path) -> None:
    sighted, blind = drive_and_see([BLINDFOLD, SCRIPTED], "seed:3", tmp_path, max_steps=5)
    assert sighted.frames is not None
    assert sighted.frames.shape == (5, 84, 84)
    assert sighted.frames.dtype == np.uint8
    assert (sighted.frames[1:] != sighted.frames[:-1]).any(axis=(1, 2)).all()
    assert blind.frames is None
    assert blind.folder.is_dir()
    assert len(seen_laps(tmp_path)) == 2


def test_a_missing_recording_is_made_by_driving_the_same_lap_again(tmp_path: Path) -> None:
    before, _ = drive_and_see([BLINDFOLD, SCRIPTED], "seed:3", tmp_path, max_steps=5)
    shutil.rmtree(tmp_path / "seen")
    with pytest.raises(EvaluationError, match="none of its laps has been seen"):
        seen_laps(tmp_path)
    again, blind = see_run(tmp_path, [Poses], trust=True)
    assert (blind.folder / "poses.npz").is_file()
    assert (again.folder / "poses.npz").is_file()
    assert before.frames is not None
    assert again.frames is not None
    np.testing.assert_array_equal(before.frames, again.frames)
    stamp = (again.folder / FrameRecorder.file).stat().st_mtime_ns
    see_run(tmp_path, [Poses], trust=True)
    assert (again.folder / FrameRecorder.file).stat().st_mtime_ns == stamp


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"config\.json is missing"):
        see_run(tmp_path)
    with pytest.raises(EvaluationError, match=r"steps\.parquet is missing"):
        seen_laps(tmp_path)
