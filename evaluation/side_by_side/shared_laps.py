"""The laps that policies have in common, condition by condition, as tables of seeds and tracks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from evaluation.perturbations import CLEAN, PERTURBATIONS, Perturbed

FloatArray = NDArray[np.float64]

_LAP = ["seed", "map", "turn"]


@dataclass(frozen=True)
class SharedLaps:
    """Laps to compare: under each condition, all policies that drove it have the same ones.

    Attributes:
        laps: As from ``sources.together``, without those that not all have.
        left_out: How many those were.
    """

    laps: pd.DataFrame
    left_out: int = 0

    @cached_property
    def policies(self) -> list[str]:
        """Their labels, in order; the first is the one that others are compared with."""
        return [str(name) for name in self.laps["policy"].unique()]

    @cached_property
    def conditions(self) -> list[Perturbed]:
        """The clean laps, then perturbations in the registry's order, by severity."""
        found = self.laps[["perturbation", "severity"]].drop_duplicates()
        places = {CLEAN.name: -1, **{name: i for i, name in enumerate(PERTURBATIONS)}}
        conditions = [Perturbed(str(n), int(s)) for n, s in found.itertuples(index=False)]
        return sorted(conditions, key=lambda c: (places.get(c.name, len(places)), c.severity))

    @property
    def perturbed(self) -> list[Perturbed]:
        """The conditions without the clean one."""
        return [condition for condition in self.conditions if condition != CLEAN]

    @cached_property
    def groups(self) -> dict[str, list[Perturbed]]:
        """The conditions by perturbation."""
        found: dict[str, list[Perturbed]] = {}
        for condition in self.conditions:
            found.setdefault(condition.name, []).append(condition)
        return found

    def of(self, policy: str, condition: Perturbed) -> pd.DataFrame:
        """The laps of a policy under a condition, in order; none where it did not drive it."""
        key = (policy, condition.name, condition.severity)
        return self._laps.get(key, self.laps.iloc[:0].set_index(_LAP))

    def values(self, policy: str, condition: Perturbed, metric: str) -> FloatArray:
        """A metric of these laps, ``(seeds, tracks)``."""
        return _table(self.of(policy, condition), metric)

    def pairs(
        self, first: tuple[str, Perturbed], second: tuple[str, Perturbed], metric: str
    ) -> tuple[FloatArray, FloatArray]:
        """A metric of the laps of both, on the same maps with the same seeds.

        Returns:
            Two arrays ``(seeds, tracks)``; empty where there are none.
        """
        one, other = self.of(*first), self.of(*second)
        if not one.index.equals(other.index):
            lap = one.index.intersection(other.index)
            one, other = one.loc[lap].sort_index(), other.loc[lap].sort_index()
        return _table(one, metric), _table(other, metric)

    @cached_property
    def _laps(self) -> dict[tuple[str, str, int], pd.DataFrame]:
        ordered = self.laps.set_index(_LAP).sort_index()
        groups = ordered.groupby(["policy", "perturbation", "severity"], sort=False)
        return {(str(key[0]), str(key[1]), int(str(key[2]))): own for key, own in groups}


def share(laps: pd.DataFrame) -> SharedLaps:
    """Keeps the laps that can be compared.

    Args:
        laps: As from ``sources.together``.

    Raises:
        EvaluationError: No two of several policies have a lap in common.
    """
    kept = [_common(own) for _, own in _by_condition(laps)]
    found = pd.concat(kept)
    several = laps["policy"].nunique() > 1
    if found.empty or (several and all(own["policy"].nunique() < 2 for own in kept)):
        policies = " and ".join(str(name) for name in laps["policy"].unique()[:3])
        raise EvaluationError(
            f"cannot be compared: {policies} have no lap in common (map, seed, perturbation)"
        )
    return SharedLaps(found.sort_index().reset_index(drop=True), len(laps) - len(found))


def _table(laps: pd.DataFrame, metric: str) -> FloatArray:
    """A metric as ``(seeds, tracks)``; ``(1, laps)`` where seeds have other tracks."""
    values = laps[metric].to_numpy(dtype=np.float64)
    _, counts = np.unique(laps.index.get_level_values("seed"), return_counts=True)
    tracks = len(set(zip(*(laps.index.get_level_values(n) for n in ("map", "turn")), strict=True)))
    whole = (counts == tracks).all() and len(counts) > 0
    return values.reshape((len(counts), tracks) if whole else (1, -1))


def _by_condition(laps: pd.DataFrame) -> Iterator[tuple[object, pd.DataFrame]]:
    yield from laps.groupby(["perturbation", "severity"], sort=False)


def _common(laps: pd.DataFrame) -> pd.DataFrame:
    """Of one condition: the laps that every policy drove that drove any of it."""
    times = laps.groupby(_LAP)["policy"].transform("nunique")
    return laps[times == laps["policy"].nunique()]
