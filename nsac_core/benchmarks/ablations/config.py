"""What the benchmark of NSAC's settings runs."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from maps.limits import Within
from nsac_core.benchmarks.config import BenchmarkConfig
from nsac_core.benchmarks.errors import BenchmarkError

if TYPE_CHECKING:
    from nsac_core.benchmarks.contenders import Contender

StudyName = Literal["heads", "sparsity", "length", "samples", "ood_mean", "ood_std"]


@dataclass(frozen=True)
class Ablations(BenchmarkConfig):
    """NSAC on the spiral, extrapolated, with one setting varied at a time.

    Attributes:
        studies: `heads`, `sparsity`, `length` (keys by length of the sequence), `samples`,
            `ood_mean`, `ood_std`.
        longest: Longest sequence of the study of lengths.
    """

    data_set: ClassVar[str] = "ablations"
    quick: ClassVar[dict[str, Any]] = {"seeds": 1, "epochs": 1, "longest": 1_000}
    growing: ClassVar[tuple[str, ...]] = ("studies", "longest")

    methods: tuple[str, ...] = ("nsac",)
    lambdas: tuple[float, ...] = ()
    out: Path = Path("runs/bench/ablations")
    epochs: int = 2
    learning_rate: float = 1e-2
    batch_size: int = 1
    sigmas: tuple[float, ...] = (5.0,)
    studies: tuple[StudyName, ...] = get_args(StudyName)
    longest: Annotated[int, Within(1, 1_000_000)] = 50_000

    def check(self) -> None:
        """Checks the fields.

        Raises:
            BenchmarkError: If one cannot be.
        """
        super().check()
        if self.methods != ("nsac",) or self.lambdas:
            raise BenchmarkError("methods and lambdas: it is settings of nsac that are varied here")
        if not self.studies:
            raise BenchmarkError(f"no study given; there are {', '.join(get_args(StudyName))}")
        if "length" in self.studies and self.longest < 100:
            raise BenchmarkError(f"longest must be at least 100, not {self.longest}")

    def contenders(self) -> "list[Contender]":
        """The variants of all studies."""
        # Help must not wait for torch, which the studies are made with.
        from nsac_core.benchmarks.ablations.studies import variants  # noqa: PLC0415

        return variants(self.studies, self.longest)
