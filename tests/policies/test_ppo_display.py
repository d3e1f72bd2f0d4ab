"""What the training of the expert shows of itself: a line now and then in a log, or a bar."""

import io
import time

import pytest
from rich.console import Console

from policies.ppo.display import Display


def shown(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds, of which the last one is now."""
    seconds = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: seconds[-1])
    return seconds


def test_a_log_has_each_stage_at_once_and_a_line_every_half_minute(clock: list[float]) -> None:
    console = Console(file=io.StringIO(), width=40)
    with Display(100_000, quiet=False, console=console) as display:
        display.stage("starting 8 worlds")
        display.stage("training")
        display.decided(8)
        for second in range(1, 61):  # 100 decisions a second, of which 94,000 are left at the end
            clock.append(1000.0 + second)
            display.decided(100 * second + 8)
            display.stage("updating" if second % 10 == 5 else "training")
    assert shown(console) == [
        "starting 8 worlds: 0/100000 decisions, time unknown yet",
        "training: 0/100000 decisions, time unknown yet",
        "updating: 508/100000 decisions, 100 a second, about 17 min left",
        "training: 3508/100000 decisions, 100 a second, about 16 min left",
    ]


def test_a_resumed_training_counts_what_it_makes_itself(clock: list[float]) -> None:
    console = Console(file=io.StringIO())
    with Display(10_000, quiet=False, console=console) as display:
        display.resume(9000)
        display.stage("validating")
        display.decided(9008)
        clock.append(1010.0)
        display.decided(9108)
        display.stage("updating")
    assert shown(console) == [
        "validating: 9000/10000 decisions, time unknown yet",
        "updating: 9108/10000 decisions, 10 a second, about 89 s left",
    ]


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_of_80_columns_has_a_bar_and_quiet_nothing(
    clock: list[float], quiet: bool
) -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    with Display(500_000, quiet=quiet, console=console) as display:
        display.stage("validating")
        display.decided(0)
        clock.append(1400.0)
        display.decided(124_800)
    (*_, bar) = ["", *(line for line in shown(console) if "decisions" in line)]
    words = "124800/500000 decisions, 312 a second, about 20 min left"
    assert bar.rstrip().endswith("" if quiet else words)
    assert bool(shown(console)) is not quiet


def test_quiet_logs_nothing() -> None:
    console = Console(file=io.StringIO())
    with Display(10, quiet=True, console=console) as display:
        display.stage("training")
        display.decided(5)
    assert shown(console) == []
