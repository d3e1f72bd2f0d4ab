"""What a benchmark runs: the settings that all of them share, and those of tables."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from maps.limits import LARGEST, Processes, Within, check_numbers
from nsac_core.activation import Activation
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.fit_config import Criterion

if TYPE_CHECKING:
    from nsac_core.benchmarks.contenders import Contender

NOT_DECISIVE = (
    "methods",
    "seeds",
    "first_seed",
    "lambdas",
    "preset",
    "out",
    "data_dir",
    "workers",
    "json",
    "quiet",
)
"""Fields that change no cell: a run may be gone on with under others."""

Preset = Literal["paper", "quick"]
Tokens = Literal["embedded", "features", "row"]


@dataclass(frozen=True)
class BenchmarkConfig:
    """A benchmark: every method with every seed, at one and the same setting.

    Attributes:
        methods: Names of methods and references; `all` stands for every one.
        seeds: Number of seeds: of the split, the weights and the noise.
        first_seed: The first of them; the others follow.
        lambdas: Other weights of its regulariser to try NSAC with, besides its own 0.5.
        preset: `paper` is as the numbers on the pages of results were made; `quick` is a short
            trial: fewer seeds and epochs where you give none, in a folder `quick` beside.
        out: Folder of the run. The same command goes on where it stopped; other training settings
            are refused there, more methods and seeds are not.
        data_dir: Folder with the data, where there are any; by default they are downloaded once.
        workers: Processes, of one thread each; they do not change the results.
        epochs: Passes over the training rows, the same for every method.
        learning_rate: Of AdamW.
        weight_decay: Of AdamW.
        batch_size: Rows of a training batch.
        schedule: `constant`, or `cosine`: the rate falls over all epochs.
        warmup_epochs: Epochs over which the rate rises.
        gradient_clip: Largest norm of the gradient; None leaves it alone.
        patience: Epochs without a better validation score after which to stop; None never does.
        criterion: Score on the validation rows that decides which epoch's weights are kept.
        activation: Non-linearity behind the attention.
        sigmas: Standard deviations of the noise that makes test rows strange, in scaled units.
        device: Where to train.
        json: File for the scores as JSON, or None.
        quiet: No progress bar.
    """

    data_set: ClassVar[str]
    """Name of the experiment, and of the data set in the paper's Table 1."""

    quick: ClassVar[dict[str, Any]] = {"seeds": 2}
    """Fields of the preset ``quick``."""

    growing: ClassVar[tuple[str, ...]] = ()
    """Further fields that only say which cells there are: a run may be gone on with under more."""

    references: ClassVar[tuple[str, ...]] = ("constant",)
    """The references that make sense for the data."""

    methods: tuple[str, ...] = ("all",)
    seeds: Annotated[int, Within(1, 10_000)] = 5
    first_seed: int = 42
    lambdas: tuple[float, ...] = (0.0,)
    preset: Preset = "paper"
    out: Path = Path("runs/bench")
    data_dir: Path | None = None
    workers: Processes = 1
    epochs: int = 100
    learning_rate: float = 3e-3
    weight_decay: float = 0.004
    batch_size: int = 64
    schedule: Literal["constant", "cosine"] = "cosine"
    warmup_epochs: float = 1.0
    gradient_clip: float | None = 1.0
    patience: int | None = None
    criterion: Criterion = "nll"
    activation: Activation = "relu"
    sigmas: tuple[float, ...] = (0.25, 0.5, 1.0, 5.0)
    device: str = "cpu"
    json: Path | None = None
    quiet: bool = False

    def check(self) -> None:
        """Checks the fields.

        Raises:
            BenchmarkError: If one cannot be.
        """
        for name in ("seeds", "workers", "epochs", "batch_size"):
            if getattr(self, name) < 1:
                raise BenchmarkError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.first_seed < 0:
            raise BenchmarkError(f"first_seed must not be negative, not {self.first_seed}")
        if self.learning_rate <= 0:
            raise BenchmarkError(f"learning_rate must be positive, not {self.learning_rate}")
        if any(sigma <= 0 for sigma in self.sigmas):
            raise BenchmarkError(f"sigmas must be positive, not {min(self.sigmas)}")
        if any(weight < 0 for weight in self.lambdas):
            raise BenchmarkError(f"lambdas must not be negative, not {min(self.lambdas)}")
        check_numbers(self, BenchmarkError)
        if self.first_seed + self.seeds > LARGEST:
            raise BenchmarkError(f"first_seed and seeds go beyond {LARGEST}")
        self.contenders()

    def contenders(self) -> "list[Contender]":
        """What is compared.

        Raises:
            BenchmarkError: If a method is not known.
        """
        # Help must not wait for torch, which the contenders are made with.
        from nsac_core.benchmarks.contenders import contenders  # noqa: PLC0415

        return contenders(self.methods, self.lambdas, self.sensible_references)

    @property
    def sensible_references(self) -> tuple[str, ...]:
        """Those of ``references`` that make sense with these settings."""
        return self.references

    def resolved(self) -> Self:
        """The configuration with its preset's fields in place of those left as they are."""
        if self.preset == "paper":
            return self
        usual = {field.name: field.default for field in fields(self)}
        out: Path = type(self).out
        quick = {**self.quick, "out": out.parent / "quick" / out.name}
        left = {name: value for name, value in quick.items() if getattr(self, name) == usual[name]}
        return replace(self, **left)

    def decisive(self) -> dict[str, Any]:
        """The settings that decide what a cell comes to, as JSON holds them."""
        loose = (*NOT_DECISIVE, *self.growing)
        kept = {name: value for name, value in vars(self).items() if name not in loose}
        listed = {n: list(v) if isinstance(v, tuple) else v for n, v in kept.items()}
        return {"data_set": self.data_set, **listed}


@dataclass(frozen=True)
class TabularConfig(BenchmarkConfig):
    """A benchmark of one table.

    Attributes:
        tokens: `embedded` makes each feature a token of its own learned vectors, `features` makes
            it `[value, index / features]`; `row` makes the row a single token, as the paper's
            published code does, which leaves NSAC without any noise.
    """

    growing: ClassVar[tuple[str, ...]] = ()
    """Further fields that only say which cells there are: a run may be gone on with under more."""

    references: ClassVar[tuple[str, ...]] = ("constant", "ridge", "mlp", "gp")

    tokens: Tokens = "embedded"


@dataclass(frozen=True)
class Boston(TabularConfig):
    """Boston housing: 506 rows of 13 features."""

    data_set: ClassVar[str] = "boston"
    quick: ClassVar[dict[str, Any]] = {"seeds": 2, "epochs": 30}

    out: Path = Path("runs/bench/boston")


@dataclass(frozen=True)
class Kin8nm(TabularConfig):
    """Kin8nm: 8192 positions of a robot's arm, 8 features."""

    data_set: ClassVar[str] = "kin8nm"
    quick: ClassVar[dict[str, Any]] = {"seeds": 1, "epochs": 5}

    out: Path = Path("runs/bench/kin8nm")
    epochs: int = 50
