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

    def of(self, policy: str, condition: Perturbed) -> pd.DataFrame:
        """The laps of a policy under a condition, none where it did not drive it."""
        return self._groups.get((policy, condition.name, condition.severity), self.laps.iloc[:0])

    def values(self, policy: str, condition: Perturbed, metric: str) -> FloatArray:
        """A metric of these laps, ``(seeds, tracks)``."""
        return as_table(self.of(policy, condition).set_index(_LAP)[metric])

    def pairs(
        self, first: tuple[str, Perturbed], second: tuple[str, Perturbed], metric: str
    ) -> tuple[FloatArray, FloatArray]:
        """A metric of the laps of both, on the same maps with the same seeds.

        Returns:
            Two arrays ``(seeds, tracks)``; empty where there are none.
        """
        one, other = (self.of(*which).set_index(_LAP)[metric] for which in (first, second))
        lap = one.index.intersection(other.index)
        return as_table(one.loc[lap]), as_table(other.loc[lap])

    @cached_property
    def _groups(self) -> dict[tuple[str, str, int], pd.DataFrame]:
        groups = self.laps.groupby(["policy", "perturbation", "severity"], sort=False)
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


def as_table(values: "pd.Series[float]") -> FloatArray:
    """Values of laps as ``(seeds, tracks)``; ``(1, laps)`` where seeds have other tracks.

    Args:
        values: Indexed by ``seed``, ``map``, ``turn``.
    """
    table = values.sort_index().reset_index()
    seeds = table["seed"].nunique()
    tracks = len(table[["map", "turn"]].drop_duplicates())
    shape = (seeds, tracks) if len(table) == seeds * tracks else (1, len(table))
    return table[values.name].to_numpy(dtype=np.float64).reshape(shape)


def _by_condition(laps: pd.DataFrame) -> Iterator[tuple[object, pd.DataFrame]]:
    yield from laps.groupby(["perturbation", "severity"], sort=False)


def _common(laps: pd.DataFrame) -> pd.DataFrame:
    """Of one condition: the laps that every policy drove that drove any of it."""
    times = laps.groupby(_LAP)["policy"].transform("nunique")
    return laps[times == laps["policy"].nunique()]
