"""A person drives episode after episode, in a cockpit, at an even pace."""

from collections.abc import Generator, Sequence
from contextlib import closing

import gymnasium

from recorders.config import WORLD, RecordConfig
from recorders.driving import Environment
from recorders.episode import Episode
from recorders.human.cockpit import Cockpit, OpenCockpit, View
from recorders.human.config import STEPS_PER_SECOND
from recorders.human.controls import Hands, Ramps, action
from recorders.human.pace import Pace
from recorders.human.session import FIRST, Effect, Event, Phase, State, respond
from recorders.human.window import opened
from recorders.lane import Lane

ENDED = "ended"
"""Outcome of an episode that the person ended."""
NOTICE_SECONDS = 2.0
"""How long the person is told what was done."""


def drive_by_hand(
    config: RecordConfig,
    episodes: Sequence[tuple[int, str]],
    open_cockpit: OpenCockpit = opened,
) -> Generator[Episode, None, None]:
    """Lets a person drive.

    Args:
        config: What to record.
        episodes: Number and map of each episode.
        open_cockpit: Where the person sits.

    Yields:
        Each episode that the person keeps.

    Raises:
        recorders.config.RecordError: There is no display.
        KeyboardInterrupt: The person stopped; the episode underway is lost, those kept are not.
    """
    with open_cockpit(f"nsac-record: {config.out}") as cockpit, closing(_world(config)) as world:
        state = FIRST
        for number, track in episodes:
            turn = Turn(config, cockpit, world, number, track)
            yield turn.driven(state)
            state = State()


class Turn:
    """A person's turn at one episode.

    Args:
        config: What to record.
        cockpit: Where the person sits.
        world: What is driven.
        number: The episode's.
        track: Its map.
    """

    def __init__(
        self, config: RecordConfig, cockpit: Cockpit, world: Environment, number: int, track: str
    ) -> None:
        self._config = config
        self._cockpit = cockpit
        self._lane = Lane(world, config, number, track)
        self._title = f"episode {number + 1} of {config.episodes}, {track}"
        self._pace = Pace(STEPS_PER_SECOND * config.human.speed)
        self._state = State()
        self._ramps = [Ramps()]
        self._notice = ("", 0)

    def driven(self, state: State) -> Episode:
        """The episode, once the person keeps it."""
        self._state = state
        while True:
            inputs = self._cockpit.look()
            for event in inputs.events:
                if self._effect(event) is Effect.KEEP:
                    self._lane.outcome = self._lane.outcome or ENDED
                    return self._lane.episode()
            if self._state.phase is Phase.DRIVING:
                self._step(inputs.hands)
            if self._pace.shows():
                self._cockpit.show(self._lane.world, self._view())
            self._pace.wait()

    def _effect(self, event: Event) -> Effect:
        """Answers an event; a stop leaves by an interruption, as Ctrl-C does."""
        before = self._state.phase
        self._state, effect = respond(self._state, event, begun=self._lane.steps > 0)
        if effect is Effect.STOP:
            raise KeyboardInterrupt
        if effect is Effect.RESTART:
            self._take_back(self._lane.steps)
        if effect is Effect.DISCARD:
            self._take_back(round(self._config.human.discard_seconds * STEPS_PER_SECOND))
        if self._state.phase is not before:
            self._pace.begin()
        return effect

    def _step(self, hands: Hands) -> None:
        human = self._config.human
        ramps = self._ramps[-1].after(hands, self._lane.info["speed"], human)
        self._ramps.append(ramps)
        self._lane.step(action(ramps, hands, human), None)
        if self._lane.outcome:
            self._effect(Event.OVER)

    def _take_back(self, steps: int) -> None:
        """Puts world, recording and wheel back to what they were."""
        there = self._lane.steps
        self._lane.rewind(max(there - steps, 0))
        del self._ramps[self._lane.steps + 1 :]
        seconds = (there - self._lane.steps) / STEPS_PER_SECOND
        self._notice = (f"{seconds:.1f} s taken back", self._lane.steps)

    def _view(self) -> View:
        lane, pace = self._lane, self._pace
        text, since = self._notice
        fresh = lane.steps - since < NOTICE_SECONDS * STEPS_PER_SECOND
        return View(
            state=self._state,
            title=self._title,
            steps=lane.steps,
            limit=self._config.limit,
            outcome=lane.outcome,
            info=lane.info,
            driven=lane.info["executed_action"],
            pace=pace.measured,
            wanted=pace.rate,
            held=pace.held,
            left_out=pace.left_out,
            discard_seconds=self._config.human.discard_seconds,
            notice=text if fresh else "",
        )


def _world(config: RecordConfig) -> Environment:
    """A world without gymnasium's limit of 1000 steps: a person may be slower."""
    return gymnasium.make(
        WORLD,
        disable_env_checker=True,
        max_episode_steps=-1,
        renderer=config.renderer,
        observation="gray84",
    )
