"""Clones: which there are, and how one of each arm is trained."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from evaluation.comparison.config import ARMS, Arm, ComparisonConfig
from evaluation.comparison.dagger import correct, recoloured
from evaluation.comparison.recording import NAME, parts
from evaluation.errors import EvaluationError
from nsac_core.benchmarks.processes import finished
from policies.augmentation_config import Augmentation
from policies.cloning import this_command
from policies.errors import PolicyError
from policies.train import train
from policies.train_config import TrainConfig
from recorders import RecordError

_COSTS = {"nsac": 1.5, "deep_ensemble": 3.0}
"""Of training and driving, relative to a simple method's: three encoders, or perturbed inputs."""


@dataclass(frozen=True)
class Clone:
    """A driver of the comparison.

    Attributes:
        arm: How it is made.
        method: Its uncertainty method.
        seed: Of everything random.
    """

    arm: Arm
    method: str
    seed: int

    @property
    def name(self) -> str:
        """What a run calls it, unique within its arm."""
        return f"{self.method}-{self.seed}"

    @property
    def cost(self) -> float:
        """About how long it takes to make: longest first keeps all processes busy to the end."""
        return _COSTS.get(self.method, 1.0)

    def file(self, config: ComparisonConfig) -> Path:
        """Its checkpoint."""
        return config.clones_folder / self.arm / f"{self.name}.safetensors"


def clones_of(config: ComparisonConfig, arms: Sequence[Arm] | None = None) -> list[Clone]:
    """Every arm, method and seed."""
    seeds = range(config.first_seed, config.first_seed + config.seeds)
    return [
        Clone(arm, method, seed)
        for arm in arms or config.arms
        for method in config.chosen_methods
        for seed in seeds
    ]


def make_clones(config: ComparisonConfig) -> None:
    """Trains the clones that are missing, and those of other arms that they start from.

    Raises:
        EvaluationError: Some cannot be trained; then all others are done.
    """
    last = max(ARMS.index(arm) for arm in config.arms)
    for arm in ARMS[: last + 1]:
        _make(config, clones_of(config, (arm,)))


def train_config(config: ComparisonConfig, clone: Clone) -> TrainConfig:
    """How a clone is trained on the demonstrations."""
    augmentation = Augmentation(recolour=config.recolour if clone.arm == "colours" else 0.0)
    return TrainConfig(
        data=(NAME,),
        out=clone.file(config),
        method=clone.method,
        encoder=config.encoder,
        epochs=config.epochs,
        batch=config.training_batch,
        window=config.window,
        learning_rate=config.learning_rate,
        augmentation=augmentation,
        seed=clone.seed,
        weights="float16",
        data_root=config.data_root,
        quiet=True,
    )


def _make(config: ComparisonConfig, clones: list[Clone]) -> None:
    missing = [clone for clone in clones if not clone.file(config).is_file()]
    missing.sort(key=lambda clone: -clone.cost)
    progress = Progress(
        TextColumn("cloning"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        disable=config.quiet,
    )
    faults = []
    with progress:
        task = progress.add_task("", total=len(clones), completed=len(clones) - len(missing))
        for fault in finished(partial(_train, config, this_command()), missing, config.workers):
            faults += [fault] if fault else []
            progress.advance(task)
    if faults:
        raise EvaluationError(f"{len(faults)} of {len(missing)} clones failed, first {faults[0]}")


def _train(config: ComparisonConfig, command: str, clone: Clone) -> str | None:
    """Trains a clone; the line that says why it could not be, or None."""
    how = train_config(config, clone)
    try:
        plain = replace(clone, arm="plain").file(config)
        if clone.arm == "dagger":
            correct(config, how, plain, command)
        elif clone.arm == "colours":
            recoloured(config, how, plain, command)
        else:
            dealt = parts(config)
            train(how, (dealt.training, dealt.validation), command=command)
    except (EvaluationError, PolicyError, RecordError) as fault:
        return f"{clone.arm}/{clone.name}: {fault}"
    return None
