"""How long a study still takes, learned from the units that are done."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from evaluation.study.units import Unit


class Estimate:
    """Seconds left: laps to drive, times what a lap of their policy took, over the workers."""

    def __init__(self, missing: Iterable[Unit], workers: int) -> None:
        """Begins without any idea of what a lap takes.

        Args:
            missing: Units to drive.
            workers: That drive at once.
        """
        self._workers = workers
        self._left: Counter[str] = Counter()
        self._units = 0
        for unit in missing:
            self._left[unit.driver.label] += len(unit.chunk.tracks)
            self._units += 1
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._laps: Counter[str] = Counter()

    def learn(self, unit: Unit, seconds: float) -> None:
        """Is told what a unit took that was driven at any time."""
        self._seconds[unit.driver.label] += seconds
        self._laps[unit.driver.label] += len(unit.chunk.tracks)

    def drop(self, unit: Unit) -> None:
        """Is told that a missing unit is done."""
        self._left[unit.driver.label] -= len(unit.chunk.tracks)
        self._units -= 1

    @property
    def seconds(self) -> float | None:
        """Left; None as long as nothing is known. A policy not seen yet is like all others."""
        total = sum(self._laps.values())
        if not total:
            return None
        mean = sum(self._seconds.values()) / total
        each = {
            label: self._seconds[label] / self._laps[label] if self._laps[label] else mean
            for label in self._left
        }
        work = sum(laps * each[label] for label, laps in self._left.items())
        return work / max(1, min(self._workers, self._units))
