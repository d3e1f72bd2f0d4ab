"""The command line of an evaluation on the stand-in."""

import math
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import tyro

from drive.udacity.simulator.course_names import CourseName
from evaluation.errors import EvaluationError
from evaluation.limits import check_positive
from maps.files.one_line_error import did_you_mean
from maps.limits import Processes, check_numbers

if TYPE_CHECKING:
    from evaluation.udacity.conditions import Condition


@dataclass(frozen=True)
class StandInConfig:
    """Which policies drive where on the stand-in for the Udacity simulator, and under what.

    Attributes:
        policies: Checkpoints of ``nsac-train udacity``, ``nsac-udacity`` (bundled),
            ``package.module:factory``, or ``scripted``, which sees the road's geometry.
        out: Folder of the drives. The same command again goes on where it stopped; drives that
            another command made there and this one wants too are not driven again.
        tracks: ``lake``, ``jungle``.
        laps: Of each drive on which nothing is changed; 0.5 is half a lap.
        changed_laps: Of each drive with a latency or a perturbation.
        speed: To keep, miles per hour.
        latencies: From a frame to the moment its command takes effect, milliseconds, in 20s.
        perturbations: Each drives alone: ``noise`` (severity 3), ``blur:2``, ``brightness:1-5``.
        seed: Of everything random.
        workers: Processes, with one torch thread each; they do not change the drives.
        report_only: Report those of the drives that are there, and drive none.
        page: Markdown page whose tables and figures to write anew.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.
        quiet: No progress bar.
    """

    policies: Annotated[tuple[str, ...], tyro.conf.arg(metavar="POLICY [POLICY ...]")]
    out: Path
    tracks: tuple[CourseName, ...] = ("lake", "jungle")
    laps: float = 3
    changed_laps: float = 1
    speed: float = 20.0
    latencies: tuple[int, ...] = (0,)
    perturbations: tuple[str, ...] = ()
    seed: int = 0
    workers: Processes = 1
    report_only: bool = False
    page: Path | None = None
    trust: bool = False
    quiet: bool = False

    @property
    def conditions(self) -> "list[Condition]":
        """Under which each policy drives each track; the first changes nothing.

        Raises:
            EvaluationError: One cannot be.
        """
        # Help must not wait for torch, which perturbed laps are driven with.
        from evaluation.udacity.conditions import conditions  # noqa: PLC0415

        return conditions(self.latencies, self.perturbations)

    def check(self) -> None:
        """Refuses what cannot be driven.

        Raises:
            EvaluationError: In one line that says why.
        """
        check_positive("workers", self.workers)
        for name in ("laps", "changed_laps"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise EvaluationError(f"{name} is {getattr(self, name):g}, expected more than 0")
        if not 1.0 <= self.speed <= 30.0:
            raise EvaluationError(f"speed is {self.speed:g} mph, expected 1 to 30")
        check_numbers(self, EvaluationError)
        for track in self.tracks:
            if track not in get_args(CourseName):
                names = get_args(CourseName)
                guess, known = did_you_mean(track, names), ", ".join(names)
                raise EvaluationError(f"there is no track {track!r}, {guess}expected {known}")
        for what, names in (("policy", self.policies), ("track", self.tracks)):
            if not names:
                raise EvaluationError(f"no {what} is given")
            name, times = Counter(names).most_common(1)[0]
            if times > 1:
                raise EvaluationError(f"{what} {name} is given {times} times")
        _ = self.conditions

    def to_json(self) -> dict[str, Any]:
        """The configuration as plain values."""
        return {**asdict(self), "out": str(self.out), "page": str(self.page or "")}
