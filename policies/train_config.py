"""How a driver of CarRacing is trained, as a value that is stored in its checkpoint."""

from dataclasses import dataclass, field
from pathlib import Path

from policies.augmentation_config import Augmentation
from policies.clone_config import CloneConfig
from policies.colouring_config import Colouring
from policies.errors import PolicyError


@dataclass(frozen=True, kw_only=True)
class TrainConfig(CloneConfig):
    """Training of a policy from demonstrations.

    Attributes:
        data: Minari ids of the data sets, such as ``carracing/privileged-v0``.
        init: Checkpoint to start from (a DAgger round); None starts from random weights.
        encoder: The encoder of the frames: ``strided``; ``conv``, the paper's; or ``colour``, which
            sees colours, and learns them from the gray recordings by ``colouring``.
        window: Consecutive steps read together: more of them cost less per row, as each frame is
            encoded once, but make a batch less varied.
        validation_share: Share of the episodes, each whole, kept for validation.
        augmentation: Random changes of the training pictures, gray.
        colouring: How they are coloured for an encoder that sees colours.
        data_root: Folder of the data sets; None is Minari's own.
    """

    data: tuple[str, ...]
    init: Path | None = None
    encoder: str = "strided"
    window: int = 8
    validation_share: float = 0.1
    augmentation: Augmentation = field(default_factory=Augmentation)
    colouring: Colouring = field(default_factory=Colouring)
    data_root: Path | None = None

    def check(self) -> None:
        """Checks the fields.

        Raises:
            PolicyError: A field is out of its range; the message names it.
        """
        super().check()
        if not self.data:
            raise PolicyError("data names no data set")
        if not self.window > 0:
            raise PolicyError(f"window must be positive, got {self.window}")
        if not 0 < self.validation_share < 1:
            raise PolicyError(f"validation_share must lie in (0, 1), got {self.validation_share}")
