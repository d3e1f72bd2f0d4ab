"""How a policy is trained, whatever it drives."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from maps.limits import Processes, Within, check_numbers
from nsac_core.fit_config import FitConfig, FittingError
from policies.errors import PolicyError
from policies.stored_weights import Weights

MOST_SAMPLES = 10_000
"""Passes of a decision: more would take seconds and gigabytes."""


@dataclass(frozen=True, kw_only=True)
class CloneConfig:
    """Training of a policy from examples.

    Attributes:
        out: The checkpoint to write, ``*.safetensors``.
        method: The uncertainty method.
        method_options: Its options, such as ``{"ood_share": 0.5}``; they extend those that suit
            driving.
        epochs: Passes over the data.
        batch: Steps (rows) in a training batch.
        learning_rate: Of AdamW; falls along a cosine.
        weight_decay: Of AdamW.
        gradient_clip: Largest norm of the gradient.
        criterion: Validation score that decides the best weights.
        half_precision: Whether the encoder trains in bfloat16.
        n_samples: Monte Carlo passes per decision when driving.
        seed: Of the split, the initial weights, batches, augmentation and noise.
        threads: Threads of torch; more than one is slower where the cores are shared.
        weights: Type in which the checkpoint stores the weights; ``float16`` halves the file.
        tensorboard: Folder for TensorBoard, or None.
        quiet: Whether to show no progress bar.
    """

    out: Path
    method: str = "nsac"
    method_options: dict[str, int | float | str] = field(default_factory=dict)
    epochs: int = 20
    batch: int = 256
    learning_rate: float = 1e-3
    weight_decay: float = 0.004
    gradient_clip: float = 1.0
    criterion: Literal["nll", "mse", "mae", "crps"] = "mse"
    half_precision: bool = True
    n_samples: Annotated[int, Within(1, MOST_SAMPLES)] = 5
    seed: int = 0
    threads: Processes = 1
    weights: Weights = "float32"
    tensorboard: Path | None = None
    quiet: bool = False

    def check(self) -> None:
        """Checks the fields.

        Raises:
            PolicyError: A field is out of its range; the message names it.
        """
        if self.out.suffix != ".safetensors":
            raise PolicyError(f"out must end in .safetensors, got {self.out}")
        check_numbers(self, PolicyError)
        for name in ("epochs", "batch", "learning_rate", "gradient_clip"):
            if not getattr(self, name) > 0:
                raise PolicyError(f"{name} must be positive, got {getattr(self, name)}")
        try:
            self.fit_config(Path()).check()
        except FittingError as fault:
            raise PolicyError(str(fault)) from None

    def fit_config(self, state: Path) -> FitConfig:
        """The training loop's settings.

        Args:
            state: File that lets an interrupted run resume.
        """
        return FitConfig(
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            schedule="cosine",
            warmup_epochs=min(0.5, self.epochs / 10),
            gradient_clip=self.gradient_clip,
            criterion=self.criterion,
            seed=self.seed,
            progress=not self.quiet,
            tensorboard=self.tensorboard,
            state=state,
        )
