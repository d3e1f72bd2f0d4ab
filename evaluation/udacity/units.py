"""Drives of the stand-in as units: one driver, one track, one condition; kept, never repeated."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from drive.udacity.simulator import Simulator
from drive.udacity.simulator.course_names import CourseName
from evaluation.identity import Entrant
from evaluation.labels import file_name
from evaluation.udacity.closed_loop import drive_laps
from evaluation.udacity.conditions import Condition
from evaluation.udacity.config import StandInConfig
from evaluation.udacity.drivers import SCRIPTED, Unseen, driver_of
from maps.files import parquet_file
from nsac_core.benchmarks.report import write_frame

VERSION = 1
"""Of the meaning of the files: with another one all is driven anew."""


@dataclass(frozen=True)
class Unit:
    """One drive.

    Attributes:
        driver: Who drives.
        track: Where.
        condition: Under what.
        laps: How far.
        speed: To keep, mph.
        seed: Of the policy and the perturbation.
        world: Fingerprint of the stand-in, which may change with the package.
    """

    driver: Entrant
    track: CourseName
    condition: Condition
    laps: float
    speed: float
    seed: int
    world: str

    @cached_property
    def digest(self) -> str:
        """Of everything that decides the drive."""
        facts = {**asdict(self), "version": VERSION}
        facts["driver"] = [self.driver.label, self.driver.sha256]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]

    def file(self, out: Path) -> Path:
        """Where its steps are, in the folder of a run."""
        name = f"{self.track}-{file_name(str(self.condition))}-{self.digest}.parquet"
        return out / "drives" / file_name(self.driver.label) / name


def units_of(config: StandInConfig, drivers: Sequence[Entrant]) -> list[Unit]:
    """All drives of a configuration, those without any change first.

    Raises:
        EvaluationError: A condition cannot be.
    """
    return [
        Unit(
            *(driver, track, condition),
            _counted(config.laps if condition.is_clean else config.changed_laps),
            *(config.speed, config.seed, fingerprint(track)),
        )
        for condition in config.conditions
        for track in config.tracks
        for driver in drivers
    ]


def _counted(laps: float) -> float:
    """The laps, as an integer where they are whole: 3 and 3.0 have the same digest."""
    return int(laps) if float(laps).is_integer() else laps


def drive_and_store(out: Path, unit: Unit) -> None:
    """Drives a unit and keeps its steps, whole or not at all.

    Raises:
        EvaluationError: The policy was changed.
        PolicyError: It cannot be loaded, or what it returned cannot be driven.
    """
    simulator = simulator_of(unit.track, unseen=unit.driver.source == SCRIPTED)
    condition = unit.condition
    steps = drive_laps(
        driver_of(unit.driver, simulator, unit.speed, unit.seed),
        simulator,
        laps=unit.laps,
        speed=unit.speed,
        late_ms=condition.late_ms,
        perturbation=condition.perturbed.of_lap(unit.seed, unit.track),
    )
    identity: dict[str, Any] = {
        "policy": unit.driver.label,
        "track": unit.track,
        "late_ms": condition.late_ms,
        "perturbation": condition.perturbed.name,
        "severity": condition.perturbed.severity,
        "seed": unit.seed,
    }
    file = unit.file(out)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_frame(file, steps.assign(**identity)[[*identity, *steps.columns]])


def read(out: Path, units: Sequence[Unit]) -> pd.DataFrame:
    """The steps of drives that are there, with their condition in words."""
    frames = [
        parquet_file.read(unit.file(out)).assign(condition=str(unit.condition)) for unit in units
    ]
    return pd.concat(frames, ignore_index=True)


@lru_cache(maxsize=2)
def simulator_of(track: CourseName, unseen: bool = False) -> Simulator:
    """The stand-in, of which each process keeps the last two: a landscape takes a while to build.

    Args:
        track: Its course.
        unseen: Whether nobody looks at its picture.
    """
    return Unseen(track) if unseen else Simulator(track)


@lru_cache
def fingerprint(track: CourseName) -> str:
    """Of what the stand-in shows and of how its car moves: the same where drives are the same."""
    simulator = simulator_of(track)
    digest = hashlib.sha256()
    for arc in np.linspace(0.0, simulator.track.length, 5)[:-1]:
        simulator.reset(float(arc))
        digest.update(simulator.frame().tobytes())
        simulator.step(0.3, 1.0, 2.0)
        simulator.step(-0.3, -0.5, 1.0)
        digest.update(repr(simulator.state).encode() + simulator.frame().tobytes())
    return digest.hexdigest()[:16]
