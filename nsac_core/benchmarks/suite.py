"""All benchmarks one after the other."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.registry import benchmark
from nsac_core.benchmarks.suite_config import CONFIGS, Name, Suite


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
        raise BenchmarkError(f"no benchmark given; there are {', '.join(CONFIGS)}")
    for name, config in suite.configs().items():
        start, fault = time.perf_counter(), None
        try:
            benchmark(config)
        except BenchmarkError as raised:
            fault = str(raised)
        yield Outcome(name, config.out, time.perf_counter() - start, fault)
