"""What a benchmark of bearings runs."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from maps.limits import Within
from nsac_core.benchmarks.config import BenchmarkConfig
from nsac_core.benchmarks.errors import BenchmarkError

if TYPE_CHECKING:
    from nsac_core.benchmarks.bearings.windows import Cut

Protocol = Literal["held_out", "leaking"]


@dataclass(frozen=True)
class Bearings(BenchmarkConfig):
    """Degradation of bearings: learnt on one rig, tested on a bearing held out and on other rigs.

    Attributes:
        time: Whether the time since the start is an input. The label is a function of it.
        protocol: `held_out` learns from XJTU-SY 1_1 and 1_2 and tests on 1_3; `leaking` does as the
            paper's published code: learns from all three, tests on 1_1, and scales each test
            file by itself.
        length: Rows of a window.
        stride: Rows from one training window to the next.
        test_stride: Rows from one test window to the next.
        cut_off: Inputs end at so many standard deviations of the training rows, as a gauge does at
            the end of its scale; None lets them be whatever they are on another rig.
    """

    data_set: ClassVar[str] = "bearings"
    references: ClassVar[tuple[str, ...]] = ("constant", "clock", "boosting")
    quick: ClassVar[dict[str, Any]] = {"seeds": 1, "epochs": 2}

    lambdas: tuple[float, ...] = ()
    sigmas: tuple[float, ...] = ()
    out: Path = Path("runs/bench/bearings")
    epochs: int = 10
    time: bool = True
    protocol: Protocol = "held_out"
    length: int = 16
    stride: int = 8
    test_stride: int = 8
    cut_off: float | None = 3.0

    def check(self) -> None:
        """Checks the fields.

        Raises:
            BenchmarkError: If one cannot be.
        """
        super().check()
        for name in ("length", "stride", "test_stride"):
            if getattr(self, name) < 1:
                raise BenchmarkError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.cut_off is not None and self.cut_off <= 0:
            raise BenchmarkError(f"cut_off must be positive, not {self.cut_off}")

    @property
    def sensible_references(self) -> tuple[str, ...]:
        """The clock only where there is the time."""
        return tuple(name for name in self.references if self.time or name != "clock")

    @property
    def cut(self) -> "Cut":
        """How windows are cut."""
        # Help must not wait for torch, which windows are made with.
        from nsac_core.benchmarks.bearings.windows import Cut  # noqa: PLC0415

        return Cut(self.length, self.stride, self.test_stride, self.time, cut_off=self.cut_off)


@dataclass(frozen=True)
class SyntheticBearings(Bearings):
    """The same on simulated vibration, where the recordings are not to be had.

    Attributes:
        rows: Windows of vibration that each bearing's life is simulated in.
    """

    data_set: ClassVar[str] = "synthetic_bearings"
    quick: ClassVar[dict[str, Any]] = {"seeds": 1, "epochs": 2, "rows": 200, "stride": 2}

    out: Path = Path("runs/bench/synthetic_bearings")
    stride: int = 1
    test_stride: int = 1
    rows: Annotated[int, Within(1, 1_000_000)] = 600

    def check(self) -> None:
        """Checks the fields.

        Raises:
            BenchmarkError: If one cannot be.
        """
        super().check()
        if self.rows < 10 * self.length:
            raise BenchmarkError(f"rows must be at least {10 * self.length}, not {self.rows}")

    @property
    def cut(self) -> "Cut":
        """How windows are cut: few rows need short blocks."""
        return replace(super().cut, block=2 * self.length)
