"""Recorders: what is kept of a lap beside the steps, in one file each."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evaluation.observer import Moment
from policies import Policy


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
    def seen(self, moment: Moment) -> None:
        """Is called at every step; see ``evaluation.observer.Observer``."""

    @abstractmethod
    def save(self, car: int, file: Path) -> None:
        """Writes what was seen of the lap of one car to this very path."""

    def close(self) -> None:  # noqa: B027 - need hold nothing
        """Lets go of the policy."""


class PictureRecorder(LapRecorder):
    """Keeps one picture of each decision, ``(steps, *shape)`` uint8.

    Attributes:
        key: Of the array in the file.
    """

    key: ClassVar[str]

    def __init__(self, policy: Policy, n: int) -> None:
        super().__init__(policy, n)
        self._pictures: list[list[NDArray[np.uint8]]] = [[] for _ in range(n)]

    @classmethod
    def sees(cls, policy: Policy) -> bool:
        """Not of a driver that is shown the worlds themselves."""
        return policy.observation.kind != "world"

    @abstractmethod
    def picture(self, moment: Moment, car: int) -> NDArray[np.uint8]:
        """What is kept of one car, a new array."""

    def seen(self, moment: Moment) -> None:
        """Takes the pictures of the cars that drive."""
        for car in moment.cars:
            self._pictures[car].append(self.picture(moment, car))

    def save(self, car: int, file: Path) -> None:
        """Writes them, compressed."""
        arrays: dict[str, Any] = {self.key: np.stack(self._pictures[car])}
        with file.open("wb") as opened:  # by a name without .npz, numpy would append it
            np.savez_compressed(opened, **arrays)


class FrameRecorder(PictureRecorder):
    """Keeps the newest frame of each decision: key ``frames``, uint8 ``(steps, *frame shape)``."""

    file = "frames.npz"
    key = "frames"

    def picture(self, moment: Moment, car: int) -> NDArray[np.uint8]:
        """A copy of the newest frame."""
        return np.array(moment.observations[car][-1], dtype=np.uint8)
