"""What a person's commands do, whatever the window: an event and a state give the next state."""

from dataclasses import dataclass
from enum import Enum


class Event(Enum):
    """What happened.

    ``GO`` is a key that drives, ``ACCEPT`` a gamepad's yes, ``OTHER`` any other key; ``OVER`` is
    the world's own: the lap is complete, or the episode ends otherwise.
    """

    GO = "go"
    PAUSE = "pause"
    RESTART = "restart"
    DISCARD = "discard"
    KEEP = "keep"
    ENTER = "enter"
    ACCEPT = "accept"
    HELP = "help"
    LEAVE = "leave"
    OTHER = "other"
    HANDS_OFF = "hands off"
    CLOSED = "closed"
    OVER = "over"


class Phase(Enum):
    """What the person is doing; the world moves in ``DRIVING`` alone."""

    WAITING = "waiting"
    DRIVING = "driving"
    OVER = "over"
    READING = "reading"
    LEAVING = "leaving"


class Effect(Enum):
    """What is to be done with the recording."""

    NOTHING = "nothing"
    RESTART = "restart"
    DISCARD = "discard"
    KEEP = "keep"
    STOP = "stop"


@dataclass(frozen=True)
class State:
    """Where a person is.

    Attributes:
        phase: What the person is doing.
        back: To what the help, and the question whether to stop, return.
    """

    phase: Phase = Phase.WAITING
    back: Phase = Phase.WAITING


Answer = tuple[State, Effect]
FIRST = State(Phase.READING)
"""The help is read before anything else."""

_WAITING = State()
_TAKEN_BACK = {
    Event.RESTART: (_WAITING, Effect.RESTART),
    Event.DISCARD: (_WAITING, Effect.DISCARD),
}
_KEPT = (_WAITING, Effect.KEEP)
_COMMANDS: dict[Phase, dict[Event, Answer]] = {
    Phase.WAITING: {
        **_TAKEN_BACK,
        **dict.fromkeys(
            (Event.GO, Event.PAUSE, Event.ACCEPT), (State(Phase.DRIVING), Effect.NOTHING)
        ),
    },
    Phase.DRIVING: {
        **_TAKEN_BACK,
        **dict.fromkeys((Event.PAUSE, Event.HANDS_OFF), (_WAITING, Effect.NOTHING)),
        Event.OVER: (State(Phase.OVER), Effect.NOTHING),
    },
    Phase.OVER: {**_TAKEN_BACK, Event.ACCEPT: _KEPT},
}
_YES = (Event.ENTER, Event.ACCEPT)


def respond(state: State, event: Event, begun: bool) -> Answer:
    """What comes after an event.

    Args:
        state: Where the person is.
        event: What happened.
        begun: Whether the episode has a step that could be kept.

    Returns:
        Where the person is then, and what is to be done.
    """
    if event is Event.CLOSED:
        return state, Effect.STOP
    if state.phase in (Phase.READING, Phase.LEAVING):
        return _answered(state, event)
    if event in (Event.KEEP, Event.ENTER):
        return _KEPT if begun else (state, Effect.NOTHING)
    if event in (Event.HELP, Event.LEAVE):
        back = Phase.WAITING if state.phase is Phase.DRIVING else state.phase
        page = Phase.READING if event is Event.HELP else Phase.LEAVING
        return State(page, back), Effect.NOTHING
    return _COMMANDS[state.phase].get(event, (state, Effect.NOTHING))


def _answered(state: State, event: Event) -> Answer:
    """Any key turns the page; only a yes stops."""
    if event in (Event.HANDS_OFF, Event.OVER):
        return state, Effect.NOTHING
    if state.phase is Phase.LEAVING and event in _YES:
        return state, Effect.STOP
    return State(state.back), Effect.NOTHING
