"""Seen laps: an ordinary run with a folder ``seen/<policy>-<lap>`` of recordings for each lap."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import maps as track_maps
from evaluation import run_description
from evaluation.closed_loop import Chunk, drive_chunk, split
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.identity import entrants
from evaluation.inspection.recorder import FrameRecorder, LapRecorder
from evaluation.inspection.traces import TraceRecorder
from evaluation.labels import file_name
from evaluation.limits import MAX_STEPS
from evaluation.observer import Moment, Observer
from evaluation.perturbations import CLEAN
from evaluation.run import drive
from maps.files import arrays_file, parquet_file
from maps.files.damaged import DamagedError
from maps.files.plain_values import made
from maps.files.whole import whole
from policies import Policy
from policies.loading import check_named_in

RECORDERS: tuple[type[LapRecorder], ...] = (FrameRecorder, TraceRecorder)
"""What is recorded of every seen lap; where a policy does not show it, the file is missing."""


@dataclass(frozen=True)
class SeenLap:
    """A lap, and what was recorded of it.

    Attributes:
        policy: Who drove, as the run calls it.
        lap: Number of the lap in the run.
        map: Name of the map.
        folder: Where its recordings are.
        frames: The newest frame of each decision, uint8 ``(steps, *frame shape)``; None of a driver
            that is shown no picture.
        steps: The rows of the run's steps, one a decision.
    """

    policy: str
    lap: int
    map: str
    folder: Path
    frames: NDArray[np.uint8] | None
    steps: pd.DataFrame


def lap_folder(run: Path, policy: str, lap: int) -> Path:
    """Where the recordings of a lap are."""
    return run / "seen" / f"{file_name(policy)}-{lap}"


def seen_laps(run: Path) -> list[SeenLap]:
    """The clean laps of a run that have recordings, in the run's order.

    Raises:
        EvaluationError: It is no finished run, or none of its laps has been seen.
    """
    file = run / "steps.parquet"
    if not file.is_file():
        raise EvaluationError(f"{run}: no finished run: steps.parquet is missing")
    steps = parquet_file.read(file, needed=(*run_description.IDENTITY, "lap"))
    steps = steps[steps["perturbation"] == CLEAN.name]
    laps = []
    for _, own in steps.groupby(["policy", "lap"], sort=False):
        policy, lap = str(own["policy"].iloc[0]), int(own["lap"].iloc[0])
        folder = lap_folder(run, policy, lap)
        if folder.is_dir():
            name = str(own["map"].iloc[0])
            rows = own.reset_index(drop=True)
            laps.append(SeenLap(policy, lap, name, folder, _frames(folder), rows))
    if not laps:
        raise EvaluationError(f"{run}: none of its laps has been seen; nsac-inspect drives them")
    return laps


def drive_and_see(  # noqa: PLR0913 - the settings of one run
    policies: Sequence[str | Path],
    maps: str,
    out: Path,
    *,
    observers: Sequence[type[LapRecorder]] = (),
    renderer: Literal["exact", "fast"] = "exact",
    seed: int = 0,
    max_steps: int = MAX_STEPS,
    workers: int = 1,
    trust: bool = False,
) -> list[SeenLap]:
    """Drives one lap of each policy on each map, as ``nsac-evaluate`` does, and keeps what it saw.

    The folder is an ordinary run. What is there already is kept; a recording that is missing is
    made by driving its lap again, which gives the same lap.

    Args:
        policies: What ``policies.load`` takes.
        maps: As in ``--maps``.
        out: Folder of the run.
        observers: What is recorded beside ``RECORDERS``.
        renderer: Who draws the pictures.
        seed: Of everything random.
        max_steps: Limit of an episode.
        workers: Processes.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.

    Raises:
        EvaluationError: The folder holds another run, or the configuration cannot be.
        PolicyError: A policy cannot be loaded, or returned what cannot be driven.
        MapError: There is no such map.
    """
    config = EvaluateConfig(
        policy=tuple(map(str, policies)),
        maps=maps,
        out=out,
        renderer=renderer,
        seed=seed,
        workers=workers,
        max_steps=max_steps,
        trust=trust,
        quiet=True,
    )
    recorders = tuple(dict.fromkeys([*RECORDERS, *observers]))
    drive(config, Recording(out, recorders))
    _see_what_is_missing(config, recorders)
    return seen_laps(out)


def see_run(
    run: Path, observers: Sequence[type[LapRecorder]] = (), trust: bool = False
) -> list[SeenLap]:
    """The seen laps of a run that was driven before; where a recording is missing, it is made.

    Args:
        run: Folder of the run.
        observers: What is recorded beside ``RECORDERS``.
        trust: Load policies that can run code of their own: stable-baselines3 archives,
            ``torch.export``, TorchScript, and ``package.module:factory``, which the run names.

    Raises:
        EvaluationError: It is no finished run.
        PolicyError: A policy cannot be loaded any more, or would need trust.
    """
    config = config_of(run, trust)
    check_named_in(run / run_description.FILE, config.policy, trust)
    drive(config)
    _see_what_is_missing(config, tuple(dict.fromkeys([*RECORDERS, *observers])))
    return seen_laps(run)


def config_of(run: Path, trust: bool = False) -> EvaluateConfig:
    """What a run was driven with; trust is not taken from a file, but given anew.

    Raises:
        EvaluationError: It is no run.
    """
    values = run_description.read(run).config
    try:
        return made(EvaluateConfig, {**values, "out": str(run), "trust": trust})
    except ValueError as fault:
        file = run / run_description.FILE
        raise EvaluationError(f"{file}: not of a run of nsac-evaluate: {fault}") from None


def sources_of(run: Path, trust: bool = False, typed: Sequence[str] = ()) -> dict[str, str]:
    """What ``policies.load`` takes for each policy of a run, by the run's name of it.

    Args:
        run: Folder of the run.
        trust: Whether they may run code of their own.
        typed: Policies that may, as they are not from a file.

    Raises:
        EvaluationError: It is no run, or does not say of each policy.
        PolicyError: A policy would need trust.
    """
    found = run_description.read(run)
    sources = found.sources
    unknown = [label for label in found.identity["policies"] if label not in sources]
    if unknown:
        file = run / run_description.FILE
        raise EvaluationError(f"{file}: does not say what loads the policy {unknown[0]}")
    named = [source for source in sources.values() if source not in typed]
    check_named_in(run / run_description.FILE, named, trust)
    return sources


@dataclass(frozen=True)
class Recording:
    """Has recorders look on at the chunks of a run, and keeps their files when the laps have ended.

    Attributes:
        run: Folder of the run.
        recorders: Who looks on.
    """

    run: Path
    recorders: tuple[type[LapRecorder], ...]

    @contextmanager
    def __call__(self, policy: Policy, label: str, chunk: Chunk) -> Iterator[Observer]:
        """Who looks on at one chunk."""
        cars = len(chunk.tracks)
        recorders = [kind(policy, cars) for kind in self.recorders if kind.sees(policy)]
        try:
            yield _Together(recorders)
        finally:
            for recorder in recorders:
                recorder.close()
        for car, folder in enumerate(_folders(self.run, label, chunk)):
            folder.mkdir(parents=True, exist_ok=True)
            for recorder in recorders:
                with whole(folder / recorder.file) as aside:
                    recorder.save(car, aside)

    def missing(self, policy: Policy, label: str, chunk: Chunk) -> "Recording":
        """The recorders that have left no file of some lap of the chunk."""
        folders = _folders(self.run, label, chunk)
        wanted = tuple(
            recorder
            for recorder in self.recorders
            if recorder.sees(policy)
            and not all((folder / recorder.file).is_file() for folder in folders)
        )
        return replace(self, recorders=wanted)


class _Together:
    """Several observers as one."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers

    def seen(self, moment: Moment) -> None:
        for observer in self._observers:
            observer.seen(moment)


def _see_what_is_missing(config: EvaluateConfig, recorders: tuple[type[LapRecorder], ...]) -> None:
    """Drives the chunks again of which a recording is missing."""
    every = Recording(config.out, recorders)
    for driver in entrants(config):
        policy = driver.load()
        for chunk in split(track_maps.expand(config.maps), config.batch):
            for folder in _folders(config.out, driver.label, chunk):
                folder.mkdir(parents=True, exist_ok=True)
            missing = every.missing(policy, driver.label, chunk)
            if missing.recorders:
                with missing(policy, driver.label, chunk) as observer:
                    drive_chunk(policy, chunk, config.conditions, driver.label, observer)


def _folders(run: Path, label: str, chunk: Chunk) -> list[Path]:
    laps = range(chunk.first, chunk.first + len(chunk.tracks))
    return [lap_folder(run, label, lap) for lap in laps]


def _frames(folder: Path) -> NDArray[np.uint8] | None:
    file = folder / FrameRecorder.file
    if not file.is_file():
        return None
    frames = arrays_file.read(file, ("frames",))["frames"]
    if frames.dtype != np.uint8 or frames.ndim < 3:
        raise DamagedError(f"{file}: holds {frames.dtype} {frames.shape}, expected pictures, uint8")
    return frames.astype(np.uint8, copy=False)
