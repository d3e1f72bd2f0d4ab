"""All benchmarks one after the other."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from nsac_core.benchmarks.ablations.config import Ablations
from nsac_core.benchmarks.bearings.config import Bearings, SyntheticBearings
from nsac_core.benchmarks.config import Boston, Kin8nm, Preset
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.config import Ettm1, Jena
from nsac_core.benchmarks.registry import AnyConfig, benchmark
from nsac_core.benchmarks.runtime.config import Runtime
from nsac_core.benchmarks.spiral.config import Spiral

Name = Literal[
    "boston", "kin8nm", "spiral", "ettm1", "jena", "bearings", "synthetic-bearings", "ablations",
    "runtime",
]  # fmt: skip

_CONFIGS: dict[Name, Callable[..., AnyConfig]] = {
    "boston": Boston,
    "kin8nm": Kin8nm,
    "spiral": Spiral,
    "ettm1": Ettm1,
    "jena": Jena,
    "bearings": Bearings,
    "synthetic-bearings": SyntheticBearings,
    "ablations": Ablations,
    "runtime": Runtime,
}


@dataclass(frozen=True)
class Suite:
    """Run all benchmarks, each as its own command would; repeat the command to resume.

    One whose data are not to be had stops no other.

    Attributes:
        benchmarks: Which.
        preset: `quick` is a short trial of everything, `paper` all as it stands on the pages.
        out: Folder of the runs, one each; by default runs/bench, and runs/bench/quick.
        data_dir: Folder with the data; by default they are downloaded once.
        workers: Processes, of one thread each.
        quiet: No progress bars.
    """

    benchmarks: tuple[Name, ...] = get_args(Name)
    preset: Preset = "quick"
    out: Path | None = None
    data_dir: Path | None = None
    workers: int = 1
    quiet: bool = False

    def configs(self) -> dict[Name, AnyConfig]:
        """The configuration of each benchmark."""
        return {name: self._config(name) for name in dict.fromkeys(self.benchmarks)}

    def _config(self, name: Name) -> AnyConfig:
        config = _CONFIGS[name](preset=self.preset).resolved()
        own = {field.name for field in fields(config)}
        shared: dict[str, Any] = {"data_dir": self.data_dir, "workers": self.workers}
        shared |= {"quiet": self.quiet}
        if self.out is not None:
            shared["out"] = self.out / config.out.name
        return replace(config, **{key: value for key, value in shared.items() if key in own})


@dataclass(frozen=True)
class Outcome:
    """What became of a benchmark.

    Attributes:
        name: Of the benchmark.
        folder: Of its run.
        seconds: That it took.
        fault: Why it did not run, or None.
    """

    name: Name
    folder: Path
    seconds: float
    fault: str | None


def run_all(suite: Suite) -> Iterator[Outcome]:
    """Runs the benchmarks of a suite; yields what became of each as soon as it is over.

    Raises:
        BenchmarkError: If there is none.
    """
    if not suite.benchmarks:
        raise BenchmarkError(f"no benchmark given; there are {', '.join(_CONFIGS)}")
    for name, config in suite.configs().items():
        start, fault = time.perf_counter(), None
        try:
            benchmark(config)
        except BenchmarkError as raised:
            fault = str(raised)
        yield Outcome(name, config.out, time.perf_counter() - start, fault)
