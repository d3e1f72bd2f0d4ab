"""Conditions of laps by name: ``colours``, ``blur:2``, ``blur:1-5``."""

import re
from dataclasses import dataclass

from evaluation.errors import EvaluationError
from evaluation.perturbations.protocol import (
    DEFAULT_SEVERITY,
    PERTURBATIONS,
    SEVERITIES,
    Perturbation,
    generator,
)
from maps.files.one_line_error import did_you_mean


@dataclass(frozen=True)
class Perturbed:
    """A perturbation and its severity, as the columns ``perturbation`` and ``severity`` have them.

    Attributes:
        name: Of the perturbation; ``none`` for the clean lap.
        severity: 1 to 5; 3 where there are no grades, 0 for the clean lap.

    Raises:
        EvaluationError: The severity cannot be.
    """

    name: str = "none"
    severity: int = 0

    def __post_init__(self) -> None:
        clean = self.name == Perturbation.name
        if self.severity not in ((0,) if clean else SEVERITIES):
            expected = "0" if clean else f"{SEVERITIES[0]} to {SEVERITIES[-1]}"
            raise EvaluationError(
                f"severity of {self.name} is {self.severity}, expected {expected}"
            )

    def __str__(self) -> str:
        kind = PERTURBATIONS.get(self.name, Perturbation)
        return f"{self.name}:{self.severity}" if kind.levels else self.name

    def of_lap(self, seed: int, track: str) -> Perturbation:
        """The perturbation of one lap.

        Args:
            seed: Of the run.
            track: Name of the lap's map.
        """
        kind = PERTURBATIONS.get(self.name, Perturbation)
        rng = generator(self.name, seed, None if kind.per_run else track)
        return kind(self.severity, rng)


CLEAN = Perturbed()
"""The lap without any perturbation."""


def parse(text: str) -> tuple[Perturbed, ...]:
    """The conditions that a list names, in its order.

    Args:
        text: Names with commas between them, each with a severity (``blur:2``) or several
            (``blur:1-5``), or without one for severity 3; ``none`` is the clean lap.

    Raises:
        EvaluationError: There is no such perturbation or severity, or one is named twice.
    """
    found: list[Perturbed] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        found += _conditions(word)
    for condition in found:
        times = found.count(condition)
        if times > 1:
            raise EvaluationError(f"perturbation {condition} is given {times} times")
    return tuple(found)


def with_clean(text: str) -> tuple[Perturbed, ...]:
    """The conditions that a list names, the clean lap before all others: what pairs them.

    Raises:
        EvaluationError: As `parse`.
    """
    return (CLEAN, *(condition for condition in parse(text) if condition != CLEAN))


def _conditions(word: str) -> list[Perturbed]:
    name, colon, grades = word.partition(":")
    if name == CLEAN.name and not colon:
        return [CLEAN]
    if name not in PERTURBATIONS:
        guess, known = did_you_mean(name, (CLEAN.name, *PERTURBATIONS)), ", ".join(PERTURBATIONS)
        raise EvaluationError(
            f"there is no perturbation {name!r}, {guess}expected none or one of {known}"
        )
    if not PERTURBATIONS[name].levels:
        if colon:
            raise EvaluationError(f"perturbation {name} has no severities: write {name}")
        return [Perturbed(name, DEFAULT_SEVERITY)]
    if not colon:
        return [Perturbed(name, DEFAULT_SEVERITY)]
    match = re.fullmatch(r"([1-5])(?:-([1-5]))?", grades)
    first, last = (int(g or match[1]) for g in match.groups()) if match else (2, 1)
    if first > last:
        raise EvaluationError(
            f"severity of {name} is {grades!r}, expected {SEVERITIES[0]} to {SEVERITIES[-1]}, "
            f"as in {name}:2 or {name}:1-5"
        )
    return [Perturbed(name, severity) for severity in range(first, last + 1)]
