"""How a model is trained, as a value."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from maps.files.one_line_error import OneLineError
from maps.limits import check_numbers

Criterion = Literal["nll", "mse", "mae", "crps"]
Schedule = Literal["constant", "cosine"]


class FittingError(OneLineError):
    """Training cannot go on or be resumed; the message is one line."""


@dataclass(frozen=True)
class FitConfig:
    """How to train.

    Attributes:
        epochs: Passes over the training data.
        learning_rate: Of AdamW.
        weight_decay: Of AdamW.
        schedule: ``constant``, or ``cosine``: falls to ``final_learning_rate`` over all epochs.
        final_learning_rate: Where the cosine ends, as a share of ``learning_rate``.
        warmup_epochs: Epochs (a fraction is fine) over which the rate rises from zero.
        gradient_clip: Largest norm of the gradient; None leaves it alone.
        mixed_precision: Whether to train under bfloat16 autocast.
        criterion: Score on the validation data whose lowest value decides the best weights.
        patience: Epochs without a better score after which to stop; None never stops early.
        seed: Seed of batches, noise and validation draws.
        device: Where to train.
        progress: Whether to show a progress bar.
        tensorboard: Folder for TensorBoard, or None.
        state: File that lets an interrupted run resume, written after each epoch, or None.
    """

    epochs: int = 100
    learning_rate: float = 1e-3
    weight_decay: float = 0.004
    schedule: Schedule = "constant"
    final_learning_rate: float = 0.01
    warmup_epochs: float = 0.0
    gradient_clip: float | None = None
    mixed_precision: bool = False
    criterion: Criterion = "nll"
    patience: int | None = None
    seed: int = 0
    device: str = "cpu"
    progress: bool = True
    tensorboard: Path | None = None
    state: Path | str | None = None

    @property
    def state_file(self) -> Path | None:
        """The field ``state`` as a path."""
        return None if self.state is None else Path(self.state)

    def check(self) -> None:
        """Checks the fields.

        Raises:
            FittingError: One cannot be; the message names it.
        """
        if self.epochs < 1:
            raise FittingError(f"epochs must be at least 1, got {self.epochs}")
        for name in ("learning_rate", "weight_decay", "final_learning_rate", "warmup_epochs"):
            if not getattr(self, name) >= 0:
                raise FittingError(f"{name} must not be negative, got {getattr(self, name)}")
        for name in ("gradient_clip", "patience"):
            if getattr(self, name) is not None and not getattr(self, name) > 0:
                raise FittingError(f"{name} must be positive or None, got {getattr(self, name)}")
        for name, known in (("criterion", get_args(Criterion)), ("schedule", get_args(Schedule))):
            if getattr(self, name) not in known:
                raise FittingError(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}"
                )
        check_numbers(self, FittingError)
