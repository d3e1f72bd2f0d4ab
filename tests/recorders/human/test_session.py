"""What each command does in each phase."""

import pytest

from recorders.human.session import FIRST, Effect, Event, Phase, State, respond

WAITING, DRIVING, OVER = State(), State(Phase.DRIVING), State(Phase.OVER)
READING = State(Phase.READING)
NOTHING = Effect.NOTHING


@pytest.mark.parametrize(
    ("state", "event", "then", "effect"),
    [
        (WAITING, Event.GO, DRIVING, NOTHING),
        (WAITING, Event.PAUSE, DRIVING, NOTHING),
        (WAITING, Event.ACCEPT, DRIVING, NOTHING),
        (WAITING, Event.HANDS_OFF, WAITING, NOTHING),
        (WAITING, Event.RESTART, WAITING, Effect.RESTART),
        (WAITING, Event.DISCARD, WAITING, Effect.DISCARD),
        (WAITING, Event.OTHER, WAITING, NOTHING),
        (WAITING, Event.ENTER, WAITING, Effect.KEEP),
        (DRIVING, Event.GO, DRIVING, NOTHING),
        (DRIVING, Event.ACCEPT, DRIVING, NOTHING),
        (DRIVING, Event.OTHER, DRIVING, NOTHING),
        (DRIVING, Event.PAUSE, WAITING, NOTHING),
        (DRIVING, Event.HANDS_OFF, WAITING, NOTHING),
        (DRIVING, Event.RESTART, WAITING, Effect.RESTART),
        (DRIVING, Event.DISCARD, WAITING, Effect.DISCARD),
        (DRIVING, Event.KEEP, WAITING, Effect.KEEP),
        (DRIVING, Event.ENTER, WAITING, Effect.KEEP),
        (DRIVING, Event.OVER, OVER, NOTHING),
        (OVER, Event.GO, OVER, NOTHING),
        (OVER, Event.PAUSE, OVER, NOTHING),
        (OVER, Event.ENTER, WAITING, Effect.KEEP),
        (OVER, Event.ACCEPT, WAITING, Effect.KEEP),
        (OVER, Event.RESTART, WAITING, Effect.RESTART),
        (OVER, Event.DISCARD, WAITING, Effect.DISCARD),
    ],
)
def test_what_a_command_does(state: State, event: Event, then: State, effect: Effect) -> None:
    assert respond(state, event, begun=True) == (then, effect)


@pytest.mark.parametrize("event", [Event.KEEP, Event.ENTER])
@pytest.mark.parametrize("state", [WAITING, DRIVING])
def test_an_episode_without_a_step_cannot_be_kept(state: State, event: Event) -> None:
    assert respond(state, event, begun=False) == (state, NOTHING)


@pytest.mark.parametrize("event", [Event.HELP, Event.LEAVE])
@pytest.mark.parametrize(
    ("state", "back"), [(WAITING, WAITING), (DRIVING, WAITING), (OVER, OVER), (FIRST, WAITING)]
)
def test_a_page_pauses_and_goes_away_at_a_key(state: State, back: State, event: Event) -> None:
    page = respond(state, event, begun=True)[0] if state is not FIRST else state
    assert page.phase in (Phase.READING, Phase.LEAVING)
    assert respond(page, Event.HANDS_OFF, begun=True) == (page, NOTHING)
    for key in (Event.GO, Event.OTHER, Event.DISCARD, Event.RESTART, Event.KEEP, Event.LEAVE):
        assert respond(page, key, begun=True) == (back, NOTHING)


def test_only_a_yes_stops() -> None:
    page, _ = respond(DRIVING, Event.LEAVE, begun=True)
    assert respond(page, Event.ENTER, begun=True)[1] is Effect.STOP
    assert respond(page, Event.ACCEPT, begun=True)[1] is Effect.STOP
    assert respond(READING, Event.ENTER, begun=True) == (WAITING, NOTHING)


@pytest.mark.parametrize("state", [WAITING, DRIVING, OVER, READING, State(Phase.LEAVING)])
def test_closing_the_window_stops_at_once(state: State) -> None:
    assert respond(state, Event.CLOSED, begun=True)[1] is Effect.STOP


def test_every_event_has_an_answer_everywhere() -> None:
    for phase in Phase:
        for event in Event:
            state, effect = respond(State(phase), event, begun=False)
            assert isinstance(state, State)
            assert isinstance(effect, Effect)
