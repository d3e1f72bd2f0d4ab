"""Which methods learn from which recordings of the Udacity simulator."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from nsac_core.activation import Activation
from nsac_core.benchmarks.config import BenchmarkConfig
from nsac_core.benchmarks.errors import BenchmarkError
from policies.udacity.augmentation_config import CameraAugmentation


@dataclass(frozen=True)
class OpenLoopConfig(BenchmarkConfig):
    """Which methods learn from which recordings of the Udacity simulator.

    Attributes:
        data: Folders of the recordings, each with its ``driving_log.csv``.
        augmentation: Random changes of the training frames.
    """

    data_set: ClassVar[str] = "udacity"
    quick: ClassVar[dict[str, Any]] = {"seeds": 1, "epochs": 2}

    data: tuple[Path, ...] = ()
    lambdas: tuple[float, ...] = ()
    augmentation: CameraAugmentation = field(default_factory=CameraAugmentation)
    out: Path = Path("runs/bench/udacity")
    epochs: int = 6
    learning_rate: float = 1e-3
    batch_size: int = 32
    activation: Activation = "sigmoid"
    sigmas: tuple[float, ...] = (0.25, 0.5, 1.0)

    def check(self) -> None:
        """Checks the fields.

        Raises:
            BenchmarkError: If one cannot be.
        """
        super().check()
        if not self.data:
            raise BenchmarkError("data names no recording")
        if self.device != "cpu":
            raise BenchmarkError(f"device is {self.device}, but frames are read on the cpu")
        try:
            self.augmentation.check()
        except ValueError as fault:
            raise BenchmarkError(str(fault)) from None

    def decisive(self) -> dict[str, Any]:
        """The settings that decide what a cell comes to, as JSON holds them."""
        return {
            **super().decisive(),
            "data": [folder.name for folder in self.data],
            "augmentation": vars(self.augmentation),
        }
