"""What every command of inspection is told: which laps."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from evaluation.errors import EvaluationError
from evaluation.limits import MAX_STEPS
from maps.limits import Processes

if TYPE_CHECKING:
    from evaluation.inspection.recorder import LapRecorder
    from evaluation.inspection.seen_laps import SeenLap


@dataclass(frozen=True)
class LapsConfig:
    """Which laps are inspected.

    Attributes:
        out: Folder of the run, as of ``nsac-evaluate``; what is there already is kept. Without
            ``--policy`` and ``--map``, its own laps are inspected.
        policy: Policies, as ``nsac-evaluate`` takes them. All drive the same laps.
        map: Names with commas between them: ``seed:42,oval``.
        renderer: Who draws what the policies see.
        seed: Of everything random.
        max_steps: Limit of an episode, of 1/50 s each.
        workers: Processes, with one torch thread each; they do not change the laps.
        trust: Load policies that can run code of their own: stable-baselines3 archives,
            ``torch.export``, TorchScript, and a ``package.module:factory`` that ``--policy`` does
            not name but the run. Only of somebody you trust.
    """

    out: Path
    policy: Annotated[tuple[str, ...], tyro.conf.arg(metavar="POLICY [POLICY ...]")] = ()
    map: str = ""
    renderer: Literal["exact", "fast"] = "exact"
    seed: int = 0
    max_steps: int = MAX_STEPS
    workers: Processes = 1
    trust: bool = False

    def laps(self, observers: "Sequence[type[LapRecorder]]" = ()) -> "list[SeenLap]":
        """Drives and sees what has not been yet.

        Args:
            observers: What is recorded beside ``seen_laps.RECORDERS``.

        Raises:
            EvaluationError: Policies without maps or maps without policies; or as
                ``drive_and_see``.
            PolicyError: As ``drive_and_see``.
            MapError: There is no such map.
        """
        # Help must not wait for torch, which laps are driven with.
        from evaluation.inspection.seen_laps import drive_and_see, see_run  # noqa: PLC0415

        if bool(self.policy) != bool(self.map):
            raise EvaluationError("--policy and --map go together; without both, --out is a run")
        if not self.policy:
            return see_run(self.out, observers, self.trust)
        return drive_and_see(
            self.policy,
            self.map,
            self.out,
            observers=observers,
            renderer=self.renderer,
            seed=self.seed,
            max_steps=self.max_steps,
            workers=self.workers,
            trust=self.trust,
        )

    def sources(self) -> dict[str, str]:
        """What ``policies.load`` takes for each policy of the run, by the run's name of it.

        Raises:
            EvaluationError: It is no run.
            PolicyError: A policy would need trust.
        """
        from evaluation.inspection.seen_laps import sources_of  # noqa: PLC0415 - as above

        return sources_of(self.out, self.trust, self.policy)
