"""What lies between a person and the recorder: what the hands do, and what the eyes see."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from recorders.human.controls import Hands
from recorders.human.session import Event, State

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld


@dataclass(frozen=True)
class Inputs:
    """What a person did since the last look, and holds now.

    Attributes:
        events: In their order.
        hands: What is held.
    """

    events: tuple[Event, ...] = ()
    hands: Hands = field(default_factory=Hands)


@dataclass(frozen=True)
class View:
    """What is told beside the world's picture.

    Attributes:
        state: Where the person is.
        title: Which episode of how many, and on which map.
        steps: Driven so far in this episode.
        limit: Steps after which it ends.
        outcome: Why it ended, or empty.
        info: The world's truth at this moment.
        driven: The action that led here: steer, gas and brake, ``(3,)``.
        pace: Steps a second, measured.
        wanted: Steps a second that should be.
        held: Whether the pace is kept.
        left_out: Pictures left out during the last second.
        discard_seconds: How much Backspace takes back.
        notice: What has just been done, such as seconds taken back; or empty.
    """

    state: State
    title: str
    steps: int
    limit: int
    outcome: str
    info: dict[str, Any]
    driven: NDArray[np.float32]
    pace: float
    wanted: float
    held: bool
    left_out: int
    discard_seconds: float
    notice: str = ""


class Cockpit(Protocol):
    """Where a person sits: a window, or a test's script."""

    def look(self) -> Inputs:
        """What was done since the last call."""

    def show(self, world: "CarRacingWorld", view: View) -> None:
        """Draws one picture."""


class OpenCockpit(Protocol):
    """Opens a cockpit for as long as a recording takes."""

    def __call__(self, title: str) -> AbstractContextManager[Cockpit]:
        """Opens it under this title.

        Raises:
            recorders.config.RecordError: There is nowhere to open it.
        """
