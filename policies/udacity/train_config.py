"""How a policy of the Udacity simulator is trained, as a value that its checkpoint stores."""

from dataclasses import dataclass, field
from pathlib import Path

from policies.clone_config import CloneConfig
from policies.errors import PolicyError
from policies.udacity.augmentation_config import CameraAugmentation


@dataclass(frozen=True, kw_only=True)
class UdacityTrainConfig(CloneConfig):
    """Training of a policy from recordings of the Udacity simulator.

    Attributes:
        data: Folders of the recordings, each with its ``driving_log.csv``.
        validation_share: Share of the blocks of contiguous time, of about 4 s each, kept for
            validation.
        augmentation: Random changes of the training frames.
    """

    data: tuple[Path, ...]
    epochs: int = 30
    batch: int = 64
    validation_share: float = 0.1
    augmentation: CameraAugmentation = field(default_factory=CameraAugmentation)

    def check(self) -> None:
        """Checks the fields.

        Raises:
            PolicyError: A field is out of its range; the message names it.
        """
        try:
            self.augmentation.check()
        except ValueError as error:
            raise PolicyError(str(error)) from error
        super().check()
        if not self.data:
            raise PolicyError("data names no recording")
        if not 0 < self.validation_share < 1:
            raise PolicyError(f"validation_share must lie in (0, 1), got {self.validation_share}")
