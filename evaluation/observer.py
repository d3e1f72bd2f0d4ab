"""The contract of one who looks on while laps are driven."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from drive.carracing.world import CarRacingWorld
from policies import Decision


@dataclass(frozen=True)
class Moment:
    """A step of a chunk of laps, after the decision and before the cars move.

    Attributes:
        step: From 0.
        observations: What the policy decided on, ``(n, *observation.shape)`` uint8 or ``n``
            worlds; to be copied by one who keeps it.
        worlds: Those of the ``n`` cars, as they were seen.
        decision: For all of them.
        running: Whose lap has not ended yet, bool ``(n,)``: nothing is driven elsewhere.
    """

    step: int
    observations: NDArray[np.uint8] | Sequence[Any]
    worlds: Sequence[CarRacingWorld]
    decision: Decision
    running: NDArray[np.bool_]

    @property
    def cars(self) -> list[int]:
        """Numbers of those that are driven."""
        return np.flatnonzero(self.running).tolist()


class Observer(Protocol):
    """Is shown every step of a chunk of laps; it changes nothing."""

    def seen(self, moment: Moment) -> None:
        """Is called once a step."""
