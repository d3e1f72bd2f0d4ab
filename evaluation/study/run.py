"""A study from its file to its report."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evaluation.errors import EvaluationError
from evaluation.limits import check_positive
from evaluation.study.backends import Backend, backend
from evaluation.study.config import StudyConfig
from evaluation.study.drive_unit import drive_unit
from evaluation.study.estimate import Estimate
from evaluation.study.identity import claim, locked
from evaluation.study.laps_file import DamagedFileError
from evaluation.study.plan import Plan, read
from evaluation.study.progress import shown
from evaluation.study.store import Store
from evaluation.study.units import Unit, drivers_of, units_of
from maps.files import parquet_file
from maps.files.whole import write_text

Tell = Callable[[str], None]

TRIES = 3
"""Times that damaged units are driven anew before the disk is given up."""
SAMPLE = 3
"""Units of each policy, driven earlier, from which the time left is estimated."""


@dataclass(frozen=True)
class Study:
    """A study that is done.

    Attributes:
        folder: With ``laps.parquet``, ``study.toml``, ``study.json`` and ``units``.
        plan: What was driven.
    """

    folder: Path
    plan: Plan

    @property
    def laps(self) -> pd.DataFrame:
        """One row a lap, read anew."""
        return parquet_file.read(self.folder / "laps.parquet")


def run_study(config: StudyConfig, tell: Tell = print) -> Study:
    """Drives the laps of a study that are not driven yet, and joins all into ``laps.parquet``.

    Args:
        config: Which study, where, and by whom.
        tell: Told a line of what is out of the ordinary.

    Raises:
        EvaluationError: The file or the folder cannot be used, or a policy failed.
        PolicyError: A policy cannot be loaded, or returned what cannot be driven.
        MapError: There is no such map.
    """
    check_positive("workers", config.workers)
    spread = backend(config.backend)
    plan = read(config.file)
    drivers = drivers_of(plan, config.trust)
    with locked(config.out):
        claim(config.out, plan, drivers)
        write_text(config.out / "study.toml", plan.text)
        units = units_of(plan, drivers)
        store = Store(config.out)
        if not store.joined(units):
            _complete(config, spread, store, units, tell)
    return Study(config.out, plan)


def _complete(
    config: StudyConfig, spread: Backend, store: Store, units: Sequence[Unit], tell: Tell
) -> None:
    """Drives what is missing and joins it all; what turns out to be damaged is driven anew."""
    wanted = {unit.name for unit in units}
    extra = len(store.names() - wanted)
    if extra:
        tell(f"{extra} units that the file no longer names are kept, and not reported")
    for _ in range(TRIES):
        _drive(config, spread, store, units)
        damaged = store.join(units)
        if not damaged:
            return
        for file, fault in damaged.items():
            tell(f"{file}: {fault}; driven anew")
            file.unlink()
    raise EvaluationError(f"{file}: {fault} again and again; is the disk all right?")


def _drive(config: StudyConfig, spread: Backend, store: Store, units: Sequence[Unit]) -> None:
    there = store.names()
    missing = [unit for unit in units if unit.name not in there]
    if not missing:
        return
    estimate = Estimate(missing, config.workers)
    _learn_from_before(estimate, store, [unit for unit in units if unit.name in there])
    laps = [sum(len(unit.chunk.tracks) for unit in part) for part in (units, missing)]
    with shown(estimate, laps[0] - laps[1], laps[0], config.quiet) as done:
        for driven in spread(missing, drive_unit, config.workers, config.address):
            store.write(driven)
            done(driven)


def _learn_from_before(estimate: Estimate, store: Store, units: Sequence[Unit]) -> None:
    """From the last units of each policy."""
    by_policy: defaultdict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        by_policy[unit.driver.label].append(unit)
    for own in by_policy.values():
        for unit in own[-SAMPLE:]:
            try:
                estimate.learn(unit, store.read(unit).seconds)
            except DamagedFileError:
                continue  # named where the units are joined
