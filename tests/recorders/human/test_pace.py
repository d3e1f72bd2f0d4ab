"""The beat of the steps, by a clock of the test's own."""

import pytest

from recorders.human.pace import Pace


class Clock:
    """Time that passes only when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


def beat(pace: Pace, clock: Clock, work: float, picture: float, steps: int) -> int:
    """Steps that take their time; how many pictures were shown."""
    shown = 0
    for _ in range(steps):
        clock.pass_(work)
        if pace.shows():
            shown += 1
            clock.pass_(picture)
        pace.wait()
    return shown


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.mark.parametrize(("rate", "seconds"), [(50, 4.0), (25, 8.0), (100, 2.0)])
def test_steps_come_at_their_rate(clock: Clock, rate: float, seconds: float) -> None:
    pace = Pace(rate, clock, clock.pass_)
    pace.begin()
    assert beat(pace, clock, 0.002, 0.004, 200) == 200
    assert clock.now - 100 == pytest.approx(seconds)
    assert pace.measured == pytest.approx(rate)
    assert pace.held
    assert pace.left_out == 0


def test_a_slow_picture_is_left_out_before_the_world_slows_down(clock: Clock) -> None:
    pace = Pace(50, clock, clock.pass_)
    pace.begin()
    shown = beat(pace, clock, 0.005, 0.04, 500)
    # 5 ms of every 20 are steps; pictures of 40 ms fit in at about 15 ms / 40 ms a step.
    assert 500 * 0.3 < shown < 500 * 0.4
    assert clock.now - 100 == pytest.approx(10, abs=0.1)
    assert pace.held
    assert 25 < pace.left_out < 40


def test_a_pace_that_cannot_be_held_is_measured(clock: Clock) -> None:
    pace = Pace(50, clock, clock.pass_)
    pace.begin()
    shown = beat(pace, clock, 0.04, 0.001, 200)
    assert shown >= 200 / 5
    assert pace.measured == pytest.approx(25, rel=0.03)
    assert not pace.held


def test_lost_time_is_not_raced_after(clock: Clock) -> None:
    pace = Pace(50, clock, clock.pass_)
    pace.begin()
    clock.pass_(3.0)
    beat(pace, clock, 0.0, 0.0, 50)
    assert clock.now - 103 == pytest.approx(1.0, abs=0.05)


def test_a_pause_is_no_slowness(clock: Clock) -> None:
    pace = Pace(50, clock, clock.pass_)
    pace.begin()
    beat(pace, clock, 0.0, 0.0, 60)
    clock.pass_(10.0)
    pace.begin()
    assert pace.held
    beat(pace, clock, 0.0, 0.0, 60)
    assert pace.measured == pytest.approx(50)
    assert pace.left_out == 0
