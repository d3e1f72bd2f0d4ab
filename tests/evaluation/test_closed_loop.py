from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from gymnasium.envs.box2d.car_racing import CarRacing
from numpy.typing import NDArray
from pandas.testing import assert_frame_equal

import maps
import policies
from drive.observation import ObservationSpec
from evaluation import EvaluationError, drive_laps
from policies import Decision, PolicyError
from policies.protocol import ACTION_HIGH, ACTION_LOW

SEEDS = ["seed:3", "seed:4", "seed:5"]


@pytest.fixture(autouse=True)
def _policies_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


class Watching:
    """Draws its actions and keeps what it was shown."""

    def __init__(self, kind: str = "gray84", frames: int = 4, gas: float = 0.6) -> None:
        self.name = "watching"
        self.observation = ObservationSpec(kind, frames)  # type: ignore[arg-type]
        self.gas = gas
        self.seeds: list[int] = []
        self.seen: list[Any] = []

    def reset(self, n: int, seed: int = 0) -> None:  # noqa: ARG002
        self.seeds.append(seed)
        self.rng = np.random.default_rng(seed)

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        self.seen.append(observations)
        drawn = self.rng.normal([0.0, self.gas, 0.0], 0.3, (len(observations), 3))
        mean = drawn.astype(np.float32)
        sigma = np.abs(mean)
        action = np.clip(mean, ACTION_LOW, ACTION_HIGH)
        return Decision(action, mean, sigma, sigma)


def but_latency(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[name for name in frame if not str(name).startswith("latency")]]


def test_a_lap_is_gymnasiums_with_the_same_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    _, steps = drive_laps(Watching("world", 1), SEEDS[:2], max_steps=120)
    monkeypatch.setattr(CarRacing, "_render", lambda _world, _mode: np.zeros((96, 96, 3), np.uint8))
    stock = CarRacing()
    for seed in (3, 4):
        own = steps[steps["map"] == f"seed:{seed}"]
        stock.reset(seed=seed)
        for _, row in own.iterrows():
            action = row[["action_steer", "action_gas", "action_brake"]].to_numpy(np.float32)
            _, reward, _, _, _ = stock.step(action)
            assert row["reward"] == float(reward)
            assert stock.car is not None
            assert (row["x"], row["y"]) == tuple(stock.car.hull.position)
        assert len(own) == 120


def test_the_same_call_gives_the_same_laps_and_another_seed_others() -> None:
    first, again, other = (
        drive_laps(Watching(), SEEDS, renderer="fast", batch=2, seed=seed, max_steps=30)
        for seed in (7, 7, 8)
    )
    for mine, theirs in zip(first, again, strict=True):
        assert_frame_equal(but_latency(mine), but_latency(theirs))
    assert (first[1]["action_steer"] != other[1]["action_steer"]).any()


@pytest.mark.slow
def test_workers_do_not_change_the_laps() -> None:
    policy = "closed_loop_policies:Scripted"
    alone, together = (
        drive_laps(policies.load(policy), SEEDS, batch=1, max_steps=40, workers=workers)
        for workers in (1, 2)
    )
    for mine, theirs in zip(alone, together, strict=True):
        assert_frame_equal(but_latency(mine), but_latency(theirs))


def test_each_chunk_has_its_own_seed_and_the_last_laps_are_not_lost() -> None:
    policy = Watching("world", 1)
    laps, _ = drive_laps(policy, SEEDS, batch=2, max_steps=3)
    assert len(set(policy.seeds)) == 2
    assert laps["map"].tolist() == SEEDS
    assert laps["lap"].tolist() == [0, 1, 2]


def test_one_pass_a_step_sees_all_cars_stacked_as_trained() -> None:
    policy = Watching("gray84", 4)
    _, steps = drive_laps(policy, SEEDS[:2], renderer="fast", max_steps=6)
    assert [frames.shape for frames in policy.seen] == [(2, 4, 84, 84)] * 6
    assert not policy.seen[0][:, :3].any()  # zero-filled, newest last
    assert policy.seen[0][:, 3].any(axis=(1, 2)).all()
    np.testing.assert_array_equal(policy.seen[5][:, :3], policy.seen[4][:, 1:])
    latencies = [list(own) for _, own in steps.groupby("map")["latency_ms"]]
    assert latencies[0] == latencies[1]


def test_a_finished_lane_keeps_showing_its_last_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    class OneLeaves(Watching):
        """The first car turns right, off the playfield; the second stands."""

        def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
            self.seen.append(np.array(observations))
            return Decision.certain(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]))

    start = np.abs(maps.load("seed:3").centre_line[0]).max()
    monkeypatch.setattr("gymnasium.envs.box2d.car_racing.PLAYFIELD", start + 4.0)
    policy = OneLeaves("gray84", 1)
    laps, steps = drive_laps(policy, ["seed:3", "seed:3"], renderer="fast", max_steps=200)
    gone = int(laps["steps"][0])
    assert gone < 190
    assert steps["terminated"].sum() == 1
    assert laps["steps"][1] == 200
    assert {len(frames) for frames in policy.seen} == {2}
    last = policy.seen[gone][0]
    assert all((frames[0] == last).all() for frames in policy.seen[gone:])


def test_colour_pictures_and_maps_given_as_values() -> None:
    policy = Watching("rgb96", 1)
    laps, _ = drive_laps(policy, [maps.load("seed:3")], renderer="fast", max_steps=2)
    assert policy.seen[0].shape == (1, 1, 96, 96, 3)
    assert laps["map"].tolist() == ["seed:3"]


def test_the_privileged_driver_completes_a_clean_lap() -> None:
    laps, steps = drive_laps("privileged", "seed:2000")
    (lap,) = laps.to_dict("records")
    assert lap["completed"]
    assert lap["clean_lap"]
    assert lap["return"] > 900
    assert lap["lap_time"] == pytest.approx(lap["steps"] / 50, abs=0.5)
    assert lap["renderer"] == "none"
    assert steps["progress"].iloc[-1] == pytest.approx(lap["progress"])
    assert set(lap["undefined"].split(",")) == {"aleatoric_mean", "epistemic_mean"}


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("WrongShape", r"shape \(2, 2\), expected a \(2, 3\) float32 array"),
        ("NotANumber", r"action steer of car 1 is nan.*\(step 2\)"),
        ("Sees", "observation is .*lidar.*expected kind gray84, rgb96, world"),
    ],
)
def test_what_cannot_be_driven_is_refused(policy: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        drive_laps(f"closed_loop_policies:{policy}", SEEDS[:2], max_steps=5)


def test_a_policys_own_failure_is_one_line() -> None:
    with pytest.raises(EvaluationError, match="failed at step 0: RuntimeError: two lines"):
        drive_laps("closed_loop_policies:Raises", SEEDS[:1])
    with pytest.raises(EvaluationError, match="failed at step 0: SystemExit: 0"):
        drive_laps("closed_loop_policies:Leaves", SEEDS[:1])


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(EvaluationError, match="no maps"):
        drive_laps("privileged", [])
    with pytest.raises(EvaluationError, match="batch is 0"):
        drive_laps("privileged", SEEDS, batch=0)
    with pytest.raises(EvaluationError, match=r"seed must lie in .*, not -1"):
        drive_laps("privileged", SEEDS, seed=-1)
