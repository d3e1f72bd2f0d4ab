"""What the benchmark of run time measures."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from maps.limits import Within, check_numbers
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.method_names import find_fault

Size = Annotated[int, Within(1, 1_000_000)]


@dataclass(frozen=True)
class Runtime:
    """Time, memory and parameters of a prediction from one sequence (the paper's Table 4).

    Attributes:
        methods: Names of methods; `all` stands for every one.
        peer_python: Python of an environment that holds torch-nac 0.0.2, to measure it as well;
            `install` makes one in the user's cache.
        length: Points of the sequence, of one feature.
        width: Of queries, keys and values.
        heads: Number of heads.
        samples: Numbers of passes of a prediction.
        positions: `last` predicts from the last point, `all` from every one.
        devices: Where: `cpu`, `cuda`; `auto` is the CPU and, if there is any, the first GPU.
        repeats: Predictions that are timed, after one that is not.
        preset: `quick` times 3, in a folder `quick` beside, where you give nothing else.
        out: Folder of the results, which are measured anew each time.
        json: File for the results as JSON, or None.
        quiet: No progress bar.
    """

    data_set: ClassVar[str] = "runtime"

    methods: tuple[str, ...] = ("all",)
    peer_python: Path | None = None
    length: Size = 1000
    width: Annotated[int, Within(1, 4096)] = 32
    heads: Annotated[int, Within(1, 4096)] = 4
    samples: tuple[Annotated[int, Within(1, 10_000)], ...] = (1, 5)
    positions: tuple[Literal["last", "all"], ...] = ("last", "all")
    devices: tuple[str, ...] = ("auto",)
    repeats: int = 10
    preset: Literal["paper", "quick"] = "paper"
    out: Path = Path("runs/bench/runtime")
    json: Path | None = None
    quiet: bool = False

    def check(self) -> None:
        """Checks the fields.

        Raises:
            BenchmarkError: If one cannot be.
        """
        fault = find_fault(self.methods)
        if fault:
            raise BenchmarkError(fault)
        for name in ("length", "width", "heads", "repeats"):
            if getattr(self, name) < 1:
                raise BenchmarkError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.width % self.heads:
            raise BenchmarkError(f"width {self.width} is not a multiple of heads {self.heads}")
        for name in ("positions", "devices"):
            if not getattr(self, name):
                raise BenchmarkError(f"{name} names none")
        if not self.samples or min(self.samples) < 1:
            raise BenchmarkError("samples must be numbers of at least 1")
        check_numbers(self, BenchmarkError)

    def resolved(self) -> "Runtime":
        """The configuration with its preset's fields in place of those left as they are."""
        if self.preset == "paper":
            return self
        usual = type(self)()
        out = usual.out.parent / "quick" / usual.out.name if self.out == usual.out else self.out
        repeats = 3 if self.repeats == usual.repeats else self.repeats
        return replace(self, out=out, repeats=repeats)

    def settings(self) -> dict[str, Any]:
        """What decides the results, as JSON holds it."""
        names = ("length", "width", "heads", "repeats")
        return {"data_set": self.data_set, **{name: getattr(self, name) for name in names}}
