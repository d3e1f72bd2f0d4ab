"""What the benchmark of the spiral runs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from nsac_core.benchmarks.config import BenchmarkConfig

Generator = Literal["archimedes", "contiformer"]
Tokens = Literal["waves", "embedded", "raw"]
Observed = Literal["first_half", "all"]


@dataclass(frozen=True)
class Spiral(BenchmarkConfig):
    """A noisy spiral, interpolated and extrapolated from 50 observed points.

    Attributes:
        curves: `archimedes` is one curve of three turns, 300 times with other noise: a network is
            told times and learns the curve. `contiformer` draws 300 curves as the ContiFormer
            paper does: a network is told 50 points of each and learns to go on.
        observed: Where points are observed in training: in the `first_half`, so that the second
            is extrapolated, or in `all` of it, as in the paper's published code.
        tokens: `waves` makes a token of a time and of learned waves of it, `embedded` of the time
            and learned multiples of it, `raw` of the time alone.
    """

    data_set: ClassVar[str] = "spiral"
    quick: ClassVar[dict[str, Any]] = {"seeds": 1, "epochs": 2}

    out: Path = Path("runs/bench/spiral")
    epochs: int = 6
    learning_rate: float = 1e-2
    batch_size: int = 1
    sigmas: tuple[float, ...] = (0.5, 5.0)
    curves: Generator = "archimedes"
    observed: Observed = "first_half"
    tokens: Tokens = "waves"
