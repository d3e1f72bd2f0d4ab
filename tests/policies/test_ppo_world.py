"""The world that PPO learns in: what it shows, what it rewards, when it ends, where it drives."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import drive.carracing  # noqa: F401 - registers the world
from drive.carracing.observations import FrameStack
from policies import augmentation
from policies.ppo.config import WorldConfig
from policies.ppo.driver import controls
from policies.ppo.world import TrainingWorld
from policies.privileged import PrivilegedDriver

PLAIN = WorldConfig(repeat=2, off_road_penalty=0.0, speed_bonus=0.0, reward_scale=1.0)
TRACK = {"track_seed": 100_007}


def world(config: WorldConfig = PLAIN, *, mirrored: bool = False) -> TrainingWorld:
    return TrainingWorld(config, np.random.default_rng(0), mirrored=mirrored)


def steering(steps: int) -> NDArray[np.float32]:
    rng = np.random.default_rng(1)
    actions = [rng.uniform(-0.3, 0.3, steps), rng.uniform(-0.1, 0.6, steps)]
    return np.stack(actions, axis=1).astype(np.float32)


def test_it_shows_the_last_four_frames_and_sums_the_true_rewards() -> None:
    ours = world()
    plain = gymnasium.make("nsac/CarRacing-v0", renderer="fast", observation="gray84")
    stack = FrameStack(1, 4)
    frame, _ = plain.reset(seed=TRACK["track_seed"])
    shown, _ = ours.reset(options=TRACK)
    assert not shown[:3].any()
    assert np.array_equal(shown, stack.push(frame[None])[0])
    for action in steering(20):
        shown, reward, *_ = ours.step(action)
        total = 0.0
        for _ in range(2):
            frame, one, *_ = plain.step(controls(action))
            expected = stack.push(frame[None])[0]
            total += float(one)
        assert np.array_equal(shown, expected)
        assert reward == pytest.approx(total)


def test_a_mirrored_world_is_the_mirror_image_of_the_plain_one() -> None:
    plain, mirrored = world(), world(mirrored=True)
    plain.reset(options=TRACK)
    mirrored.reset(options=TRACK)
    for action in steering(20):
        picture, reward, *_ = plain.step(action)
        reflection, same, *_ = mirrored.step(action * np.array([-1, 1], np.float32))
        assert same == reward
    assert not np.array_equal(reflection, picture)
    augmentation.mirror(reflection)
    assert np.array_equal(reflection, picture)


def drive_a_lap(ours: TrainingWorld) -> tuple[bool, bool, dict[str, Any], float]:
    """Lets the privileged driver drive; with the ends, what was told and the rewards' sum."""
    expert = PrivilegedDriver()
    ours.reset(options=TRACK)
    total, ended, over = 0.0, False, False
    told: dict[str, Any] = {}
    while not (ended or over):
        steer, gas, brake = expert.drive(ours._env.unwrapped)  # type: ignore[arg-type]
        _, reward, ended, over, told = ours.step(np.array([steer, gas - brake], np.float32))
        total += reward
    return ended, over, told["episode"], total


def test_a_finished_lap_is_truncated_and_its_return_is_the_true_one() -> None:
    ended, over, told, total = drive_a_lap(world(WorldConfig(repeat=2, reward_scale=0.01)))
    assert (ended, over, told["lap"]) == (False, True, True)
    # All tiles earn 1000 and each frame costs a tenth; the first step is also paid for two tiles.
    assert told["r"] == pytest.approx(1000 - 0.1 * 2 * told["l"], abs=1)
    assert total - 0.01 * told["r"] > 0.5  # the speed bonus is not in the return


def test_a_car_that_gets_nowhere_ends_its_episode_and_its_track_comes_again() -> None:
    ours = world(WorldConfig(repeat=4, stalled_frames=40, replay=1.0))
    ours.reset(options=TRACK)
    ended, steps = False, 0
    told: dict[str, Any] = {}
    while not ended:
        _, _, ended, over, told = ours.step(np.zeros(2, np.float32))
        steps += 1
    assert steps == 10
    assert not over
    assert not told["episode"]["lap"]
    assert ours.failed == [TRACK["track_seed"]]
    ours.reset()
    assert ours.track_seed == TRACK["track_seed"]
    drive_a_lap(ours)
    assert ours.failed == []
    ours.reset()
    assert ours.track_seed != TRACK["track_seed"]


def test_a_car_lost_in_the_grass_is_terminated() -> None:
    ours = world(WorldConfig(repeat=4, lost_frames=20, stalled_frames=10_000))
    ours.reset(options=TRACK)
    ended = over = False
    steps = 0
    while not (ended or over):
        _, _, ended, over, _ = ours.step(np.array([0.4, 0.6], np.float32))
        steps += 1
    assert ended
    assert steps < 100


def test_tracks_are_new_ones_beyond_those_of_validation_and_test() -> None:
    ours = world()
    drawn = set()
    for _ in range(3):
        ours.reset()
        drawn.add(ours.track_seed)
    assert len(drawn) == 3
    assert min(drawn) >= 100_000
