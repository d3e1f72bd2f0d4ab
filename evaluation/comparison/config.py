"""What a comparison of cloned drivers does."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from evaluation.errors import EvaluationError
from evaluation.limits import MAX_STEPS
from maps.limits import Count, Positive, Processes, Share, Within, check_numbers
from nsac_core.method_names import METHOD_NAMES, find_fault
from recorders.disturbance_config import Disturbance

Arm = Literal["plain", "dagger", "colours"]
"""How clones are made: from the demonstrations; also from corrections; from both, recoloured."""

Stage = Literal["record", "clone", "open-loop", "drive", "selective", "report"]

ARMS: tuple[Arm, ...] = get_args(Arm)
STAGES: tuple[Stage, ...] = tuple(stage for stage in get_args(Stage) if stage != "selective")
"""Stages that run unless others are asked for."""

_FREE = (
    *("out", "methods", "arms", "seeds", "first_seed", "clones", "stages", "supervised"),
    *("validation_tracks", "tracks", "renderer", "batch", "page", "workers", "trust", "quiet"),
)
"""Fields that decide nothing about a clone."""


_COUNTS = (
    *("seeds", "workers", "epochs", "recoloured_epochs", "window", "validation_episodes"),
    "supervised",
)
"""Fields that must be at least 1."""


@dataclass(frozen=True)
class Corrections:
    """DAgger from a plain clone: it drives, the expert says what it would have done.

    Attributes:
        rounds: Rounds of driving and training.
        labels: Steps that the expert labels in each round, exactly, whoever drives.
        learner_share: Share of the driving that is the learner's; the expert drives the rest.
        epochs: Passes over all data so far after each round but the last.
        final_epochs: Passes over all data after the last round.
        learning_rate: Of these passes; falls along a cosine each time.
        first_track: Seed of the first track; round r starts 1000 r after it.
    """

    rounds: int = 3
    labels: int = 10_000
    learner_share: Share = 0.9
    epochs: Count = 1
    final_epochs: Count = 5
    learning_rate: Positive = 7e-4
    first_track: int = 20_000


@dataclass(frozen=True)
class ComparisonConfig:
    """A comparison of cloned drivers: record, clone, test in open loop, drive, report.

    Attributes:
        out: Folder of the comparison. The same command goes on where it stopped; other settings
            of recording and training are refused there.
        expert: Who demonstrates and corrects: `ppo`, `privileged`, a checkpoint, or
            `package.module:factory`.
        clones: Folder with checkpoints as `ARM/METHOD-SEED.safetensors`, which are compared
            instead of training any; None trains them.
        methods: Uncertainty methods; `all` stands for every one.
        arms: `plain` clones; those corrected by `dagger`; and `colours`, which learn from the
            same as these, with recoloured pictures.
        seeds: Clones of each method and arm, which differ in weights, batches and noise.
        first_seed: Seed of the first of them.
        stages: Stages to run: `record`, `clone`, `open-loop`, `drive`, `report`; and, on
            request, `selective`, in which plain clones hand over to `privileged` when uncertain.
        supervised: Clones of each method in that stage, those of the first seeds.
        validation_tracks: Where that stage finds its thresholds; no test tracks.
        episodes: Episodes of the expert.
        validation_episodes: Of those, kept for choosing the best epoch.
        test_episodes: Of those, kept for the open-loop test; the same ones for all clones.
        first_track: Track seed of the first episode, far from the seeds 2000-2099 of tests.
        noise: Disturbances of the expert's driving, so that clones see how it comes back; with a
            share of 0 it drives undisturbed, as in the paper.
        recording_renderer: Who draws what is recorded.
        encoder: The encoder of the frames.
        epochs: Passes over the demonstrations, the same for every method.
        window: Consecutive steps read together in training.
        training_batch: Steps in a training batch.
        learning_rate: Of AdamW; falls along a cosine.
        recolour: Share of training windows with other gray levels in the arm `colours`.
        recoloured_epochs: Passes of that arm over demonstrations and corrections together, from
            the plain clone, at the learning rate of the corrections.
        dagger: How the arm `dagger` goes on from the plain clones.
        tracks: What is driven, in the syntax of `nsac-evaluate --maps`.
        renderer: Who draws what the drivers see.
        batch: Laps in lock-step.
        max_steps: Limit of an episode, recorded or driven.
        page: Markdown page whose blocks are filled with the tables, or None.
        workers: Processes, of one thread each; they do not change the results.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            `torch.export` and TorchScript. Only for files of somebody you trust.
        quiet: No progress bars.
    """

    out: Path = Path("runs/drivers")
    expert: str = "ppo"
    clones: Path | None = None
    methods: tuple[str, ...] = ("all",)
    arms: tuple[Arm, ...] = ARMS
    seeds: Annotated[int, Within(1, 10_000)] = 5
    first_seed: Annotated[int, Within(0, 2**31)] = 0
    stages: tuple[Stage, ...] = STAGES
    supervised: int = 1
    validation_tracks: str = "seed:5000-5019"
    episodes: int = 50
    validation_episodes: int = 5
    test_episodes: int = 5
    first_track: int = 10_000
    noise: Disturbance = field(default_factory=Disturbance)
    recording_renderer: Literal["exact", "fast"] = "fast"
    encoder: str = "strided"
    epochs: int = 8
    window: int = 8
    training_batch: Count = 256
    learning_rate: Positive = 1e-3
    recolour: Share = 0.7
    recoloured_epochs: int = 6
    dagger: Corrections = field(default_factory=Corrections)
    tracks: str = "seed:2000-2019"
    renderer: Literal["exact", "fast"] = "exact"
    batch: Count = 10
    max_steps: Count = MAX_STEPS
    page: Path | None = None
    workers: Processes = 1
    trust: bool = False
    quiet: bool = False

    def check(self) -> None:
        """Checks the fields that no stage checks by itself.

        Raises:
            EvaluationError: One cannot be.
        """
        for name in _COUNTS:
            if getattr(self, name) < 1:
                raise EvaluationError(f"{name} must be at least 1, not {getattr(self, name)}")
        check_numbers(self, EvaluationError)
        if self.test_episodes < 1:
            raise EvaluationError(f"test_episodes must be at least 1, not {self.test_episodes}")
        if self.episodes <= self.validation_episodes + self.test_episodes:
            raise EvaluationError(
                f"episodes must be more than those of validation and test together, not "
                f"{self.episodes}"
            )
        if self.dagger.rounds < 1 or self.dagger.labels < 10 * self.window:
            raise EvaluationError(
                f"dagger.rounds must be at least 1, and dagger.labels {10 * self.window}"
            )
        for name, known in (("arms", ARMS), ("stages", get_args(Stage))):
            if not getattr(self, name):
                raise EvaluationError(f"{name} names none of {', '.join(known)}")
        fault = find_fault(self.methods)
        if fault:
            raise EvaluationError(fault)

    @property
    def chosen_methods(self) -> list[str]:
        """Names of the methods, in the order of tables."""
        return [name for name in METHOD_NAMES if name in self.methods or "all" in self.methods]

    @property
    def data_root(self) -> Path:
        """Folder of the recordings."""
        return self.out / "data"

    @property
    def clones_folder(self) -> Path:
        """Folder of the checkpoints."""
        return self.clones or self.out / "clones"

    def decisive(self) -> dict[str, Any]:
        """The settings that decide what the clones are."""
        settings = asdict(self)
        for name in _FREE:
            del settings[name]
        return settings
