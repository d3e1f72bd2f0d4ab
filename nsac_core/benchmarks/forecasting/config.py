"""What the forecasting benchmarks run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from nsac_core.benchmarks.config import BenchmarkConfig
from nsac_core.benchmarks.errors import BenchmarkError

WindowTokens = Literal["patches", "changes", "steps"]


@dataclass(frozen=True)
class ForecastingConfig(BenchmarkConfig):
    """A benchmark of one series: 48 steps of all its variables tell 24 steps of the last.

    Attributes:
        tokens: `changes` makes four steps a token, as what they are above the last step, `patches`
            adds the last step; `steps` makes each step a token of its variables, as the paper does.
        rows: First rows of the file that are taken, as the paper's published code does.
        stride: Rows from one training window to the next.
    """

    references: ClassVar[tuple[str, ...]] = (
        "constant",
        "persistence",
        "seasonal_naive",
        "linear",
        "linear_all",
    )
    quick: ClassVar[dict[str, Any]] = {"seeds": 1, "stride": 4}

    tokens: WindowTokens = "patches"
    rows: int = 15_000
    stride: int = 1
    epochs: int = 4
    lambdas: tuple[float, ...] = ()
    sigmas: tuple[float, ...] = (1.0,)

    def check(self) -> None:
        """Checks the fields.

        Raises:
            BenchmarkError: If one cannot be.
        """
        super().check()
        for name in ("rows", "stride"):
            if getattr(self, name) < 1:
                raise BenchmarkError(f"{name} must be at least 1, not {getattr(self, name)}")


@dataclass(frozen=True)
class Ettm1(ForecastingConfig):
    """ETTm1: the oil temperature of a transformer, 6 hours ahead from 12."""

    data_set: ClassVar[str] = "ettm1"

    out: Path = Path("runs/bench/ettm1")
    tokens: WindowTokens = "changes"
    epochs: int = 2


@dataclass(frozen=True)
class Jena(ForecastingConfig):
    """Jena: the temperature of the air, 4 hours ahead from 8."""

    data_set: ClassVar[str] = "jena"

    out: Path = Path("runs/bench/jena")
