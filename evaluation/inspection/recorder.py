"""Recorders: what is kept of a lap beside the steps, in one file each."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from drive.carracing.world import CarRacingWorld
from policies import Decision, Policy


class LapRecorder(ABC):
    """Looks on while a chunk of laps is driven, and keeps one file of each.

    Attributes:
        file: Name of the file in the folder of a seen lap.

    Args:
        policy: Who drives.
        n: Cars of the chunk.
    """

    file: ClassVar[str]

    def __init__(self, policy: Policy, n: int) -> None:  # noqa: B027 - need keep nothing
        """Begins with a chunk."""

    @classmethod
    def sees(cls, policy: Policy) -> bool:  # noqa: ARG003
        """Whether there is anything to record of this policy; yes, unless overridden."""
        return True

    @abstractmethod
    def seen(
        self,
        step: int,
        observations: NDArray[np.uint8] | Sequence[Any],
        worlds: Sequence[CarRacingWorld],
        decision: Decision,
        running: NDArray[np.bool_],
    ) -> None:
        """Is called at every step; see ``evaluation.observer.Observer``."""

    @abstractmethod
    def save(self, car: int, file: Path) -> None:
        """Writes what was seen of the lap of one car to this very path."""

    def close(self) -> None:  # noqa: B027 - need hold nothing
        """Lets go of the policy."""


class FrameRecorder(LapRecorder):
    """Keeps the newest frame of each decision: key ``frames``, uint8 ``(steps, *frame shape)``."""

    file = "frames.npz"

    def __init__(self, policy: Policy, n: int) -> None:
        super().__init__(policy, n)
        self._frames: list[list[NDArray[np.uint8]]] = [[] for _ in range(n)]

    @classmethod
    def sees(cls, policy: Policy) -> bool:
        """Not of a driver that is shown the worlds themselves."""
        return policy.observation.kind != "world"

    def seen(
        self,
        step: int,  # noqa: ARG002
        observations: NDArray[np.uint8] | Sequence[Any],
        worlds: Sequence[CarRacingWorld],  # noqa: ARG002
        decision: Decision,  # noqa: ARG002
        running: NDArray[np.bool_],
    ) -> None:
        """Copies the frames of the cars that drive."""
        for car in np.flatnonzero(running).tolist():
            self._frames[car].append(np.array(observations[car][-1], dtype=np.uint8))

    def save(self, car: int, file: Path) -> None:
        """Writes them, compressed."""
        np.savez_compressed(file, frames=np.stack(self._frames[car]))
