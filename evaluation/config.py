"""What is evaluated."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from evaluation.limits import MAX_STEPS
from maps.limits import Processes

if TYPE_CHECKING:
    from evaluation.closed_loop import Conditions
    from evaluation.perturbations import Perturbed


@dataclass(frozen=True)
class EvaluateConfig:
    """Which policies drive where.

    Attributes:
        policy: Policies: ``nsac`` (bundled), ``privileged``, checkpoint files,
            ``package.module:factory``, a stable-baselines3 ``.zip``, an ``.onnx``, ``.pt2`` or
            ``.pt`` file; or ``selective:POLICY?threshold=0.05``, which hands over to ``privileged``
            where the steering is more uncertain than that. All drive the same laps.
        maps: Names with commas between them; ``seed:2000-2099`` stands for 100 seeds.
        out: Folder of the run. The same command again resumes it, or prints a finished one.
        perturb: Perturbations with commas between them, each with a severity from 1 to 5 (3 by
            default) or several: ``colours,blur:2,noise:1-5``. Every lap is driven clean, and once
            more under each of them. ``nsac-evaluate perturbations --out FOLDER`` shows them all.
        renderer: Who draws what the policies see: ``exact`` for figures to report, ``fast`` for
            a quick look.
        batch: Laps in lock-step. They share a forward pass, so another batch is another run.
        seed: Of everything random.
        workers: Processes, with one torch thread each; they do not change the laps.
        max_steps: Limit of an episode, of 1/50 s each.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.
        quiet: No progress bar.
    """

    policy: Annotated[tuple[str, ...], tyro.conf.arg(metavar="POLICY [POLICY ...]")]
    maps: str
    out: Path
    perturb: str = ""
    renderer: Literal["exact", "fast"] = "exact"
    batch: int = 10
    seed: int = 0
    workers: Processes = 1
    max_steps: int = MAX_STEPS
    trust: bool = False
    quiet: bool = False

    @property
    def conditions(self) -> "Conditions":
        """What holds for all laps alike, but for the perturbation.

        Raises:
            EvaluationError: A number cannot be.
        """
        from evaluation.closed_loop import Conditions  # noqa: PLC0415 - help must not wait

        return Conditions(self.renderer, self.seed, self.max_steps)

    @property
    def perturbations(self) -> "tuple[Perturbed, ...]":
        """Under which every lap is driven, clean first.

        Raises:
            EvaluationError: There is no such perturbation.
        """
        from evaluation.perturbations import with_clean  # noqa: PLC0415 - help must not wait

        return with_clean(self.perturb)
