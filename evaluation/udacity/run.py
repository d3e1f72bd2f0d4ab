"""A run on the stand-in: drives what it lacks, joins and reports what it holds."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from evaluation.errors import EvaluationError
from evaluation.identity import Entrant
from evaluation.udacity.config import StandInConfig
from evaluation.udacity.drivers import entrants
from evaluation.udacity.measures import drive_table, lap_table
from evaluation.udacity.report import Report, report
from evaluation.udacity.units import VERSION, Unit, drive_and_store, read, units_of
from maps.files.locks import holds_nothing, locked_folder
from maps.files.whole import write_text
from nsac_core.benchmarks.processes import finished
from nsac_core.benchmarks.report import write_frame


@dataclass(frozen=True)
class Drives:
    """What was driven.

    Attributes:
        drives: One row a drive.
        laps: One row a lap.
        steps: One row a frame.
    """

    drives: pd.DataFrame
    laps: pd.DataFrame
    steps: pd.DataFrame


def evaluate(config: StandInConfig) -> Report:
    """Drives what is not driven yet, and writes tables and figures.

    Raises:
        EvaluationError: The configuration or the folder cannot be, or a policy was changed.
        PolicyError: A policy cannot be loaded, or what it returned cannot be driven.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
        nsac_core.benchmarks.errors.BenchmarkError: The page names what there is not.
    """
    config.check()
    _refuse_another(config.out)
    with locked_folder(config.out):
        found = drive(config)
        return report(config, found.drives, found.laps, found.steps)


def drive(config: StandInConfig) -> Drives:
    """Drives what is not driven yet, and joins all that the configuration names.

    Each drive is kept as soon as it is over, under a name that holds a digest of all that decided
    it. So the same command goes on where it stopped, a longer one drives what is new, and another
    version of a policy is driven anew beside the old one.

    Raises:
        EvaluationError: The configuration or the folder cannot be, or a policy was changed.
        PolicyError: A policy cannot be loaded, or what it returned cannot be driven.
    """
    config.check()
    _refuse_another(config.out)
    with locked_folder(config.out):
        return _drive(config)


def _drive(config: StandInConfig) -> Drives:
    drivers = entrants(config.policies, config.trust)
    units = units_of(config, drivers)
    if config.report_only:
        units = [unit for unit in units if unit.file(config.out).is_file()]
        if not units:
            raise EvaluationError(f"{config.out}: none of these drives is there")
    else:
        _claim(config, drivers)
        _drive_missing(config, units)
    steps = read(config.out, units)
    words = steps.drop_duplicates(["policy", "track", "condition"]).reset_index(drop=True)
    drives = drive_table(steps).assign(condition=words["condition"])
    found = Drives(drives, lap_table(steps), steps)
    for name in ("drives", "laps", "steps"):
        write_frame(config.out / f"{name}.parquet", getattr(found, name))
    return found


def _refuse_another(out: Path) -> None:
    if not holds_nothing(out) and not (out / "drives").is_dir():
        raise EvaluationError(f"{out}: is neither empty nor a run here; choose another --out")


def _claim(config: StandInConfig, drivers: list[Entrant]) -> None:
    """Makes the folder a run's, and says in it who drove what last."""
    out, file = config.out, config.out / "config.json"
    (out / "drives").mkdir(exist_ok=True)
    policies = {driver.label: driver.sha256 for driver in drivers}
    content = {"config": config.to_json(), "version": VERSION, "policies": policies}
    write_text(file, json.dumps(content, indent=2) + "\n")


def _drive_missing(config: StandInConfig, units: list[Unit]) -> None:
    missing = [unit for unit in units if not unit.file(config.out).is_file()]
    if not missing:
        return
    progress = Progress(
        TextColumn("driving"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("drives,"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        disable=config.quiet,
    )
    with progress:
        task = progress.add_task("", total=len(units), completed=len(units) - len(missing))
        for _ in finished(partial(drive_and_store, config.out), missing, config.workers):
            progress.advance(task)
