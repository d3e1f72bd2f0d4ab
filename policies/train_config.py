"""How a policy is trained, as a value that is stored in its checkpoint."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from policies.augmentation import Augmentation
from policies.checkpoint import Weights
from policies.colouring import Colouring
from policies.errors import PolicyError


@dataclass(frozen=True)
class TrainConfig:
    """Training of a policy from demonstrations.

    Attributes:
        data: Minari ids of the data sets, such as ``carracing/privileged-v0``.
        out: The checkpoint to write, ``*.safetensors``.
        method: The uncertainty method.
        method_options: Its options, such as ``{"ood_share": 0.5}``; they extend ``DEFAULTS``.
        init: Checkpoint to start from (a DAgger round); None starts from random weights.
        encoder: The encoder of the frames: ``strided``; ``conv``, the paper's; or ``colour``, which
            sees colours, and learns them from the gray recordings by ``colouring``.
        epochs: Passes over the data.
        batch: Steps (rows) in a training batch.
        window: Consecutive steps read together: more of them cost less per row, as each frame is
            encoded once, but make a batch less varied.
        learning_rate: Of AdamW; falls along a cosine.
        weight_decay: Of AdamW.
        gradient_clip: Largest norm of the gradient.
        validation_share: Share of the episodes, each whole, kept for validation.
        criterion: Validation score that decides the best weights.
        augmentation: Random changes of the training pictures, gray.
        colouring: How they are coloured for an encoder that sees colours.
        half_precision: Whether the encoder trains in bfloat16.
        n_samples: Monte Carlo passes per decision when driving.
        seed: Of the split, the initial weights, batches, augmentation and noise.
        threads: Threads of torch; more than one is slower where the cores are shared.
        weights: Type in which the checkpoint stores the weights; ``float16`` halves the file.
        data_root: Folder of the data sets; None is Minari's own.
        tensorboard: Folder for TensorBoard, or None.
        quiet: Whether to show no progress bar.
    """

    data: tuple[str, ...]
    out: Path
    method: str = "nsac"
    method_options: dict[str, int | float | str] = field(default_factory=dict)
    init: Path | None = None
    encoder: str = "strided"
    epochs: int = 20
    batch: int = 256
    window: int = 8
    learning_rate: float = 1e-3
    weight_decay: float = 0.004
    gradient_clip: float = 1.0
    validation_share: float = 0.1
    criterion: Literal["nll", "mse", "mae", "crps"] = "mse"
    augmentation: Augmentation = field(default_factory=Augmentation)
    colouring: Colouring = field(default_factory=Colouring)
    half_precision: bool = True
    n_samples: int = 5
    seed: int = 0
    threads: int = 1
    weights: Weights = "float32"
    data_root: Path | None = None
    tensorboard: Path | None = None
    quiet: bool = False

    def check(self) -> None:
        """Checks the fields.

        Raises:
            PolicyError: A field is out of its range; the message names it.
        """
        if not self.data:
            raise PolicyError("data names no data set")
        if self.out.suffix != ".safetensors":
            raise PolicyError(f"out must end in .safetensors, got {self.out}")
        for name in ("epochs", "batch", "window", "n_samples", "threads", "learning_rate"):
            if not getattr(self, name) > 0:
                raise PolicyError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0 < self.validation_share < 1:
            raise PolicyError(f"validation_share must lie in (0, 1), got {self.validation_share}")
        try:
            self.colouring.check()
        except ValueError as error:
            raise PolicyError(str(error)) from error
