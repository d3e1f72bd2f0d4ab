"""Records what each pixel of each picture shows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drive.carracing.regions import Regions, regions
from drive.carracing.world import CarRacingWorld
from evaluation.inspection.recorder import LapRecorder
from policies import Decision, Policy


class RegionRecorder(LapRecorder):
    """Keeps the regions of the newest frame: key ``regions``, uint8 ``(steps, rows, columns)``."""

    file = "regions.npz"

    def __init__(self, policy: Policy, n: int) -> None:
        super().__init__(policy, n)
        self._size = policy.observation.shape[1]
        self._regions: list[list[Regions]] = [[] for _ in range(n)]

    @classmethod
    def sees(cls, policy: Policy) -> bool:
        """Not of a driver that is shown no picture."""
        return policy.observation.kind != "world"

    def seen(
        self,
        step: int,  # noqa: ARG002
        observations: NDArray[np.uint8] | Sequence[Any],  # noqa: ARG002
        worlds: Sequence[CarRacingWorld],
        decision: Decision,  # noqa: ARG002
        running: NDArray[np.bool_],
    ) -> None:
        """Finds the regions of the worlds of the cars that drive."""
        for car in np.flatnonzero(running).tolist():
            self._regions[car].append(regions(worlds[car], self._size))

    def save(self, car: int, file: Path) -> None:
        """Writes them, compressed."""
        np.savez_compressed(file, regions=np.stack(self._regions[car]))
