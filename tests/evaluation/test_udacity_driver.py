"""A policy at the wheel of the Udacity simulator: what it sees and says, and what is refused."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import policies
from drive.observation import ObservationSpec
from drive.udacity.frame_shape import FRAME_SHAPE, Frame
from drive.udacity.frames import decode, encode
from drive.udacity.protocol import Telemetry
from drive.udacity.speed_control import SpeedControl
from evaluation.cli import main as evaluate
from evaluation.inspect_cli import main as inspect
from evaluation.udacity.driver import PolicyDriver
from policies import Decision, PolicyError
from recorders.cli import main as record


class Redness:
    """Steers by the mean red of the newest frame minus its blue, in [-1, 1]."""

    name = "redness"

    def __init__(self, frames: int = 1) -> None:
        self.observation = ObservationSpec("camera", frames)
        self.seen: list[NDArray[np.uint8]] = []
        self.seeds: list[int] = []

    def reset(self, n: int, seed: int = 0) -> None:
        assert n == 1
        self.seen.clear()
        self.seeds.append(seed)

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        stacks = np.asarray(observations)
        self.seen.append(stacks)
        newest = stacks[:, -1].astype(np.float32) / 255
        steer = (newest[..., 0] - newest[..., 2]).mean(axis=(1, 2))[:, np.newaxis]
        zero = np.zeros_like(steer)
        return Decision(steer, steer, zero, zero)


def flat(red: int, blue: int) -> Frame:
    frame = np.zeros(FRAME_SHAPE, dtype=np.uint8)
    frame[..., 0], frame[..., 2] = red, blue
    return frame


def at(speed: float) -> Telemetry:
    return Telemetry(0.0, 0.0, speed, b"")


@pytest.mark.parametrize(("red", "blue", "steering"), [(255, 0, 1.0), (0, 255, -1.0)])
def test_red_is_red_from_the_jpeg_to_the_policy(red: int, blue: int, steering: float) -> None:
    driver = PolicyDriver(Redness())
    command = driver.drive(decode(encode(flat(red, blue))), at(0.0))
    assert command.steering == pytest.approx(steering, abs=0.02)


def test_the_speed_is_that_of_the_controller() -> None:
    driver = PolicyDriver(Redness(), speed_mph=15.0)
    control = SpeedControl(15.0)
    for speed in (0.0, 5.0, 10.0, 16.0):
        assert driver.drive(flat(0, 0), at(speed)).throttle == control.throttle(speed)


def test_frames_are_stacked_and_forgotten_by_a_reset() -> None:
    policy = Redness(frames=3)
    driver = PolicyDriver(policy, seed=7)
    for red in (10, 20):
        driver.drive(flat(red, 0), at(20.0))
    assert [policy.seen[-1][0, i, 0, 0, 0] for i in range(3)] == [0, 10, 20]
    for _ in range(20):
        before = driver.drive(flat(30, 0), at(19.0))
    driver.reset()
    assert driver.decision is None
    assert driver.drive(flat(30, 0), at(19.0)).throttle < before.throttle
    assert [policy.seen[-1][0, i, 0, 0, 0] for i in range(3)] == [0, 0, 30]
    assert set(policy.seeds) == {7}


def test_the_same_drive_twice_is_the_same() -> None:
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 255, FRAME_SHAPE, dtype=np.uint8) for _ in range(5)]
    driver = PolicyDriver(Redness())
    drives = []
    for _ in range(2):
        driver.reset()
        drives.append([driver.drive(frame, at(3.0 * i)) for i, frame in enumerate(frames)])
    assert drives[0] == drives[1]


def test_a_policy_of_another_world_is_refused_in_one_line() -> None:
    with pytest.raises(PolicyError, match=r"reads gray84, but .* camera") as refused:
        PolicyDriver(policies.load("nsac"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("command", "words", "named"),
    [
        (evaluate, "--policy nsac-udacity --maps oval --out {}/a", "is for the Udacity simulator"),
        (evaluate, "udacity --policies nsac --out {}/b", "reads gray84"),
        (
            inspect,
            "traces --policy nsac-udacity --map oval --out {}/c",
            "is for the Udacity simulator",
        ),
        (
            record,
            "carracing --driver nsac-udacity --out carracing/x-v0 --data-root {}",
            "does not show",
        ),
    ],
)
def test_the_commands_of_either_world_refuse_policies_of_the_other(
    command: Callable[[list[str]], None],
    words: str,
    named: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        command(words.format(tmp_path).split())
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert named in error
    assert error.count("\n") == 1


def test_a_policy_that_decides_too_much_is_refused_when_it_is_loaded() -> None:
    class Three(Redness):
        def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
            three = np.zeros((len(observations), 3), dtype=np.float32)
            return Decision(three, three, three, three)

    with pytest.raises(PolicyError, match=r"expected a \(1, 1\)"):
        PolicyDriver(Three())


def test_a_policy_for_another_size_is_refused_when_it_is_loaded() -> None:
    class Small(Redness):
        def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
            return super().act(np.asarray(observations).reshape(-1, 1, 66, 200, 3))

    with pytest.raises(PolicyError, match=r"cannot decide on a frame \(160, 320, 3\)") as refused:
        PolicyDriver(Small())
    assert "\n" not in str(refused.value)
