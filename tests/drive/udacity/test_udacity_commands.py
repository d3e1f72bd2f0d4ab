"""Commands that may be sent, the last safe one, and the speed controller on a car's physics."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from drive.udacity.commands import LastSafeCommand, safe_command, safe_stop
from drive.udacity.protocol import Command
from drive.udacity.reply_times import ReplyTimes
from drive.udacity.speed_control import PERIOD, SpeedControl

MPH = 0.44704
"""In m/s."""


@pytest.mark.parametrize(
    ("steering", "expected"),
    [
        (0.25, 0.25),
        (np.float32(0.25), 0.25),
        (np.array([[0.25]]), 0.25),
        (np.array([0.25], dtype=np.float32), 0.25),
        (7, 1.0),
        (-1.5, -1.0),
        (True, 1.0),
    ],
)
def test_what_stands_for_a_number_becomes_one(steering: object, expected: float) -> None:
    command = safe_command(SimpleNamespace(steering=steering, throttle=0.0))
    assert command == Command(expected, 0.0)
    assert type(command.steering) is float


@pytest.mark.parametrize(
    "answer",
    [
        *(None, 0.1, (0.1, 0.2), SimpleNamespace(steering=0.0)),
        *(Command(np.nan, 0.0), Command(0.0, np.inf), Command("left", 0.0)),  # type: ignore[arg-type]
        Command(np.array([0.1, 0.2]), 0.0),  # type: ignore[arg-type]
        Command(np.array([]), 0.0),  # type: ignore[arg-type]
        Command(None, 0.0),  # type: ignore[arg-type]
        Command(10**400, 0.0),
        Command(torch.zeros(1, requires_grad=True), 0.0),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_command_is_refused_in_one_line(answer: object) -> None:
    with pytest.raises(ValueError, match="expected") as refused:
        safe_command(answer)
    assert "\n" not in str(refused.value)


def test_a_stop_brakes_and_never_reverses() -> None:
    assert safe_stop(30.0, 0.3) == Command(0.3, -1.0)
    assert safe_stop(5.01, 0.3) == Command(0.3, -1.0)
    assert safe_stop(5.0, 0.3) == Command(0.0, 0.0)
    assert safe_stop(0.0) == Command(0.0, 0.0)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_last_command_is_repeated_until_it_is_old() -> None:
    clock = Clock()
    last = LastSafeCommand(stale_after=0.5, most=100, clock=clock)
    last.renew(Command(0.3, 0.8))
    clock.now = 0.5
    assert last.command(20.0) == Command(0.3, 0.8)
    assert not last.stale
    clock.now = 0.51
    assert last.command(20.0) == Command(0.3, -1.0)
    assert last.stale
    last.renew(Command(0.1, 0.2))
    assert last.command(20.0) == Command(0.1, 0.2)


def test_the_last_command_is_repeated_only_so_often() -> None:
    last = LastSafeCommand(stale_after=1e9, most=2, clock=Clock())
    last.renew(Command(0.3, 0.8))
    replies = [last.command(20.0) for _ in range(3)]
    assert replies == [Command(0.3, 0.8), Command(0.3, 0.8), Command(0.3, -1.0)]


def test_without_a_command_there_is_a_stop() -> None:
    last = LastSafeCommand(stale_after=1.0, most=9, clock=Clock())
    assert last.command(20.0) == Command(0.0, -1.0)
    last.renew(Command(0.3, 0.8))
    last.forget()
    assert last.command(20.0) == Command(0.0, -1.0)


def follow(control: SpeedControl, seconds: float, slope: float, start: float = 0.0) -> list[float]:
    """Speeds, mph, of a car of the simulator's dynamics that also climbs at ``slope`` m/s2."""
    speed, speeds = start * MPH, []
    for _ in range(int(seconds / PERIOD)):
        throttle = control.throttle(speed / MPH)
        gain = 5.3 if throttle > 0 else 8.5
        for _ in range(3):
            speed = max(speed + 0.02 * (gain * throttle - 0.1 * speed - slope), 0.0)
        speeds.append(speed / MPH)
    return speeds


@pytest.mark.parametrize("slope", [0.0, 1.0, -1.0])
def test_the_speed_is_reached_and_held(slope: float) -> None:
    speeds = follow(SpeedControl(20.0), 60.0, slope)
    assert speeds[-1] == pytest.approx(20.0, abs=0.1)
    assert max(speeds) < 21.5


def test_a_long_climb_leaves_nothing_behind() -> None:
    """Full throttle cannot hold 20 mph at a slope of 4.6 m/s2: 0.7 m/s2 / 0.1 = 7 m/s is all."""
    control = SpeedControl(20.0)
    climbed = follow(control, 300.0, slope=4.6)
    assert climbed[-1] == pytest.approx(0.7 / 0.1 / MPH, abs=0.1)
    after = follow(control, 30.0, slope=0.0, start=climbed[-1])
    assert max(after) < 21.5
    assert after[-1] == pytest.approx(20.0, abs=0.1)


def test_a_reset_forgets_the_past() -> None:
    control = SpeedControl(20.0)
    follow(control, 30.0, slope=1.0)
    control.reset()
    assert control.throttle(0.0) == SpeedControl(20.0).throttle(0.0)


def test_it_brakes_when_fast_but_never_reverses() -> None:
    control = SpeedControl(2.0)
    assert control.throttle(25.0) == -1.0
    assert control.throttle(4.9) == 0.0


def test_rate_and_latency_are_those_of_the_latest_replies() -> None:
    times = ReplyTimes()
    for i in range(400):
        times.add(received=0.01 * i, sent=0.01 * i + (0.5 if i == 399 else 0.002))
    speed = times.speed(now=4.0)
    assert speed.replies == 400
    assert speed.rate == pytest.approx(100, rel=0.02)
    assert speed.median == pytest.approx(0.002)
    assert speed.slowest == pytest.approx(0.002)
    assert ReplyTimes().speed(1.0).rate == 0.0


def test_the_rate_falls_when_replies_cease() -> None:
    times = ReplyTimes()
    for i in range(100):
        times.add(0.01 * i, 0.01 * i)
    assert times.speed(2.0).rate == pytest.approx(50, rel=0.02)
    assert times.speed(10.0).rate == 0.0
