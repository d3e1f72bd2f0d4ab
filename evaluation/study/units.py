"""The units of a study: what is driven at once, kept at once and never again."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from evaluation.closed_loop import Chunk, Conditions, split
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.identity import VERSION, Entrant, entrants
from evaluation.labels import file_name
from evaluation.perturbations import CLEAN, PERTURBATIONS
from evaluation.study.plan import Plan


@dataclass(frozen=True)
class Unit:
    """A chunk of laps of one policy under one condition with one seed.

    Attributes:
        driver: The policy.
        chunk: The laps, driven in lock-step.
        conditions: Renderer, seed, limit of the episode, perturbation.
        steps: Whether the steps are kept too.
    """

    driver: Entrant
    chunk: Chunk
    conditions: Conditions
    steps: bool = False

    @cached_property
    def name(self) -> str:
        """Its place in the folder of a study, without a suffix; unique there."""
        perturbed = self.conditions.perturbed
        condition = f"{perturbed.name}-{perturbed.severity}"
        seed = f"seed-{self.conditions.seed}"
        return f"{file_name(self.driver.label)}/{condition}/{seed}/{self.chunk.number:05d}"

    @cached_property
    def digest(self) -> str:
        """Of everything that decides its laps."""
        facts = {
            "version": VERSION,
            "policy": [self.driver.label, self.driver.sha256],
            "chunk": asdict(self.chunk),
            "conditions": asdict(self.conditions),
            "level": self._level,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def _level(self) -> float:
        """Of the perturbation: what its severity stands for."""
        perturbed = self.conditions.perturbed
        levels = PERTURBATIONS[perturbed.name].levels if perturbed != CLEAN else ()
        return levels[perturbed.severity - 1] if levels else 0.0


def drivers_of(plan: Plan, trust: bool = False) -> list[Entrant]:
    """Loads every policy once, so that a fault is named before anything is driven.

    Args:
        plan: The study.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.

    Raises:
        EvaluationError: Two are called the same.
        PolicyError: One cannot be loaded.
    """
    found: dict[str, Entrant] = {}
    for label, source in plan.policies:
        (driver,) = entrants(EvaluateConfig((source,), "", Path(), trust=trust))
        driver = replace(driver, label=label or driver.label)
        if driver.label in found:
            raise EvaluationError(
                f"policies {found[driver.label].source} and {source} are both called "
                f"{driver.label}: name them in a table [policies], as in {driver.label}_2 = "
                f'"{source}"'
            )
        found[driver.label] = driver
    return list(found.values())


def units_of(plan: Plan, drivers: Sequence[Entrant]) -> list[Unit]:
    """All units, in an order in which the first part of them tells something of everything."""
    return [
        Unit(
            driver,
            chunk,
            Conditions(plan.renderer, seed, plan.max_steps, perturbed),
            plan.steps,
        )
        for seed in plan.seeds
        for chunk in split(plan.maps, plan.batch)
        for driver in drivers
        for perturbed in plan.perturbed
    ]


def digest_of(units: Sequence[Unit]) -> str:
    """Of a whole study's laps."""
    return hashlib.sha256("".join(unit.digest for unit in units).encode()).hexdigest()
