"""A run: a folder with ``config.json``, ``laps.parquet``, ``steps.parquet`` and ``report.html``."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import maps
from evaluation import run_description
from evaluation.closed_loop import Chunk, Conditions, drive_chunk, split
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.identity import Entrant, changed, description, entrants, identity
from evaluation.metrics import lap_table
from evaluation.observer import Observer
from evaluation.perturbations import CLEAN, Perturbed
from maps.files import parquet_file
from maps.files.locks import holds_nothing, locked_folder
from maps.files.parquet_file import CHECKSUMS
from maps.files.whole import whole, write_text
from nsac_core.benchmarks.processes import finished
from policies import Policy

Watch = Callable[[Policy, str, Chunk], AbstractContextManager[Observer | None]]
"""Makes who looks on while a policy, of this label, drives a chunk; the context ends with it."""


def _unseen(policy: Policy, label: str, chunk: Chunk) -> AbstractContextManager[None]:  # noqa: ARG001
    return nullcontext()


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes:
        folder: Where it is.
        laps: One row a lap.
        sources: What ``policies.load`` took for each policy, by its name in the tables.
    """

    folder: Path
    laps: pd.DataFrame
    sources: dict[str, str]

    @property
    def report(self) -> Path:
        """The report's file."""
        return self.folder / "report.html"

    def steps(self, columns: list[str] | None = None) -> pd.DataFrame:
        """One row a step, read anew."""
        return parquet_file.read(self.folder / "steps.parquet", columns=columns)


@dataclass(frozen=True)
class _Job:
    """One chunk of laps of one policy, and the file of its steps."""

    driver: Entrant
    chunk: Chunk
    conditions: Conditions
    file: Path
    watch: Watch


def evaluate(config: EvaluateConfig) -> Run:
    """Drives the laps of a run that are not driven yet, and writes what they amount to.

    Raises:
        EvaluationError: The folder holds another run, or the configuration cannot be.
        PolicyError: A policy cannot be loaded, or returned what cannot be driven.
        MapError: There is no such map.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    with alone(config.out, "report.html"):
        run = drive(config)
        if not run.report.is_file():
            # A finished run is read without what draws.
            from evaluation import figures, report  # noqa: PLC0415

            steps = run.steps()
            figures.save_all(config.out / "figures", run.laps, steps)
            decisive = run_description.read(config.out).identity
            write_text(run.report, report.build(run.laps, steps, decisive))
    return run


def drive(config: EvaluateConfig, watch: Watch = _unseen) -> Run:
    """Drives the laps of a run that are not driven yet, without pictures and report.

    A chunk of laps appears whole or not at all, so that an interrupted run goes on at the chunk
    where it stopped, with the same results.

    Args:
        config: The run.
        watch: Who looks on at each chunk; is pickled where there is more than one worker.

    Raises:
        EvaluationError: The folder holds another run, or the configuration cannot be.
        PolicyError: A policy cannot be loaded, or returned what cannot be driven.
        MapError: There is no such map.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    laps_file = config.out / "laps.parquet"
    with alone(config.out, laps_file.name):
        tracks = maps.expand(config.maps)
        drivers = entrants(config)
        decisive = identity(config, drivers, tracks)
        _claim(config, decisive, description(config, drivers, decisive))
        if not laps_file.is_file():
            jobs = _jobs(config, drivers, tracks, watch)
            _drive([job for job in jobs if not job.file.is_file()], config, len(jobs))
            _merge(config.out, [job.file for job in jobs])
    laps = parquet_file.read(laps_file, needed=run_description.IDENTITY)
    return Run(config.out, laps, {driver.label: driver.source for driver in drivers})


@contextmanager
def alone(out: Path, last: str | None = None) -> Iterator[None]:
    """Keeps others out of the folder of a run, which is made if it is not there.

    Args:
        out: The folder.
        last: File that is written last; where it is there the run is read, and nobody kept out.

    Raises:
        EvaluationError: It holds something else.
        maps.files.locks.LockedError: Another process is at work in it.
        OSError: It cannot be written.
    """
    if not holds_nothing(out) and not (out / "config.json").is_file():
        raise EvaluationError(f"{out}: is neither empty nor a run; choose another --out")
    with nullcontext() if last and (out / last).is_file() else locked_folder(out):
        yield


def _claim(config: EvaluateConfig, decisive: dict[str, Any], text: dict[str, Any]) -> None:
    """Makes the folder this run's, or makes sure that it is."""
    file = config.out / "config.json"
    if not file.is_file():
        config.out.mkdir(parents=True, exist_ok=True)
        write_text(file, json.dumps(text, indent=2) + "\n")
        return
    difference = changed(run_description.read(config.out).identity, decisive)
    if difference:
        raise EvaluationError(
            f"{config.out}: holds a run with {difference}; choose another --out or remove it"
        )


def _jobs(
    config: EvaluateConfig, drivers: list[Entrant], tracks: list[str], watch: Watch
) -> list[_Job]:
    folder = config.out / "chunks"
    folder.mkdir(exist_ok=True)
    return [
        _Job(
            driver,
            chunk,
            replace(config.conditions, perturbed=perturbed),
            folder / f"{number:02d}-{_stem(perturbed)}{chunk.number:05d}.parquet",
            watch,
        )
        for number, driver in enumerate(drivers)
        for perturbed in config.perturbations
        for chunk in split(tracks, config.batch)
    ]


def _stem(perturbed: Perturbed) -> str:
    return "" if perturbed == CLEAN else f"{perturbed.name}-{perturbed.severity}-"


def _drive(jobs: list[_Job], config: EvaluateConfig, total: int) -> None:
    """Drives chunks, in processes where there is more than one worker."""
    if not jobs:
        return
    done = total - len(jobs)
    progress = Progress(
        TextColumn("driving"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("chunks of laps,"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        disable=config.quiet,
    )
    with progress:
        task = progress.add_task("driving", total=total, completed=done)
        for _ in finished(_drive_and_store, jobs, config.workers):
            progress.advance(task)


def _drive_and_store(job: _Job) -> None:
    policy = _policy(job.driver)
    label = job.driver.label
    with job.watch(policy, label, job.chunk) as observer:
        steps = drive_chunk(policy, job.chunk, job.conditions, label, observer)
    parquet_file.write(job.file, steps)


@lru_cache(maxsize=2)
def _policy(driver: Entrant) -> Policy:  # another version is another entrant, and loaded anew
    return driver.load()


def _merge(folder: Path, files: list[Path]) -> None:
    """Joins the chunks, one at a time in memory, into the run's two tables."""
    laps = []
    with (
        whole(folder / "steps.parquet") as aside,
        pq.ParquetWriter(aside, parquet_file.read_schema(files[0]), **CHECKSUMS) as writer,
    ):
        for file in files:
            table = parquet_file.read_table(file)
            writer.write_table(table)
            laps.append(lap_table(table.to_pandas()))
    parquet_file.write(folder / "laps.parquet", pd.concat(laps, ignore_index=True))
    shutil.rmtree(folder / "chunks")
