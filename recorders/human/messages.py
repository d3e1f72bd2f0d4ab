"""What the window says, in words."""

from dataclasses import dataclass

from recorders.human.cockpit import View
from recorders.human.config import STEPS_PER_SECOND
from recorders.human.session import Phase

OUTCOMES = {
    "lap": "Lap complete",
    "playfield": "Off the map",
    "time": "Time is over",
    "lost": "Lost off the road",
    "stalled": "No way gained for too long",
}
LAMPS = {
    Phase.DRIVING: "RECORDING",
    Phase.WAITING: "PAUSED",
    Phase.OVER: "NOT KEPT YET",
    Phase.READING: "PAUSED",
    Phase.LEAVING: "PAUSED",
}
"""The state of the recording, beside the picture."""

LEAVING = (
    ("", "This episode will not be recorded. Those that you kept are:"),
    ("", "the same command goes on after them."),
    ("Enter, pad A", "stop"),
    ("any other key", "go back"),
)


@dataclass(frozen=True)
class Page:
    """What lies over the picture.

    Attributes:
        headline: In large letters.
        rows: Pairs of a key and what it does; without a key, a sentence.
    """

    headline: str
    rows: tuple[tuple[str, str], ...]


def page(view: View) -> Page | None:
    """What lies over the picture; nothing while the person drives."""
    if view.state.phase is Phase.DRIVING:
        return None
    if view.state.phase is Phase.READING:
        return Page("Drive, and be recorded", _help(view.discard_seconds))
    if view.state.phase is Phase.LEAVING:
        return Page("Stop recording?", LEAVING)
    if view.state.phase is Phase.OVER:
        words = OUTCOMES.get(view.outcome, view.outcome)
        return Page(f"{words}: {seconds(view.steps)} s", _after(view.discard_seconds))
    if view.steps == 0:
        return Page("Ready", (("arrows, WASD, P, Start", "go"), ("H", "help")))
    return Page(view.notice or "Paused", _paused(view.discard_seconds))


def seconds(steps: int) -> str:
    """The world's time after so many steps."""
    return f"{steps / STEPS_PER_SECOND:.2f}"


def pace(view: View) -> str:
    """How well the pace is kept; the wanted one alone where it is."""
    if not view.held:
        return f"too slow: {view.pace:.0f} of {view.wanted:.0f} steps/s"
    if view.left_out:
        return f"pictures left out: {view.left_out}/s"
    return f"{view.wanted:.0f} steps/s"


def _help(discard_seconds: float) -> tuple[tuple[str, str], ...]:
    return (
        ("left right, A D, stick", "steer"),
        ("up, W, right trigger", "gas"),
        ("down, S, space, left trigger", "brake"),
        ("P, Start", "pause, go on"),
        ("Backspace, pad B", f"take back the last {discard_seconds:g} s"),
        ("R, pad Y", "start this episode again"),
        ("N, Enter, pad X", "end this episode and keep it"),
        ("H, F1, Back", "this page"),
        ("Esc", "stop recording; the same command goes on"),
        ("", "What was taken back is not recorded. Press any key."),
    )


def _paused(discard_seconds: float) -> tuple[tuple[str, str], ...]:
    return (
        ("arrows, WASD, P, Start", "go on"),
        ("Backspace, pad B", f"take back {discard_seconds:g} s"),
        ("R, pad Y", "start this episode again"),
        ("N, Enter, pad X", "end this episode and keep it"),
        ("H", "help"),
    )


def _after(discard_seconds: float) -> tuple[tuple[str, str], ...]:
    return (
        ("Enter, N, pad A", "keep it"),
        ("R, pad Y", "drive it again"),
        ("Backspace, pad B", f"take back the last {discard_seconds:g} s"),
        ("Esc", "stop without it"),
    )
