"""Which benchmarks there are, and a run of all of them."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from maps.limits import Processes
from nsac_core.benchmarks.ablations.config import Ablations
from nsac_core.benchmarks.bearings.config import Bearings, SyntheticBearings
from nsac_core.benchmarks.config import BenchmarkConfig, Boston, Kin8nm, Preset
from nsac_core.benchmarks.forecasting.config import Ettm1, Jena
from nsac_core.benchmarks.runtime.config import Runtime
from nsac_core.benchmarks.spiral.config import Spiral

AnyConfig = BenchmarkConfig | Runtime

Name = Literal[
    "boston", "kin8nm", "spiral", "ettm1", "jena", "bearings", "synthetic-bearings", "ablations",
    "runtime",
]  # fmt: skip

CONFIGS: dict[Name, Callable[..., AnyConfig]] = {
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
    workers: Processes = 1
    quiet: bool = False

    def configs(self) -> dict[Name, AnyConfig]:
        """The configuration of each benchmark."""
        return {name: self._config(name) for name in dict.fromkeys(self.benchmarks)}

    def _config(self, name: Name) -> AnyConfig:
        config = CONFIGS[name](preset=self.preset).resolved()
        own = {field.name for field in fields(config)}
        shared: dict[str, Any] = {"data_dir": self.data_dir, "workers": self.workers}
        shared |= {"quiet": self.quiet}
        if self.out is not None:
            shared["out"] = self.out / config.out.name
        return replace(config, **{key: value for key, value in shared.items() if key in own})
