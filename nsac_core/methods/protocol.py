"""The contract of an uncertainty method and of what it predicts."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from nsac_core.options import check_counts

VARIANCE_FLOOR = 1e-6
"""Least aleatoric variance, in the loss and in the prediction alike: a floor in the loss alone
makes the predicted intervals too narrow."""


@dataclass(frozen=True)
class Prediction:
    """A predictive distribution for a batch, one Gaussian per value.

    Attributes:
        mean: ``(batch, out)``.
        aleatoric: Variance of the noise in the data, >= 0, ``(batch, out)``.
        epistemic: Variance of the model's own doubt, >= 0, ``(batch, out)``.

    Raises:
        ValueError: If the shapes differ or are not two-dimensional.
    """

    mean: Tensor
    aleatoric: Tensor
    epistemic: Tensor

    def __post_init__(self) -> None:
        shapes = [tuple(part.shape) for part in (self.mean, self.aleatoric, self.epistemic)]
        if len(set(shapes)) != 1 or self.mean.ndim != 2:
            raise ValueError(
                "mean, aleatoric and epistemic must all be (batch, out), got "
                + ", ".join(map(str, shapes))
            )

    @property
    def variance(self) -> Tensor:
        """Total predictive variance, ``(batch, out)``."""
        return self.aleatoric + self.epistemic

    @property
    def std(self) -> Tensor:
        """Total predictive standard deviation, ``(batch, out)``."""
        return self.variance.sqrt()

    @classmethod
    def from_samples(cls, mean: Tensor, log_std: Tensor) -> "Prediction":
        """Moments of draws ``(samples, batch[, time], out)`` of a Gaussian's mean and log std.

        The mean of the means; the mean variance is aleatoric, the (population) variance of the
        means is epistemic.
        """
        return cls.of_rows(mean.mean(0), aleatoric_variance(log_std), mean.var(0, correction=0))

    @classmethod
    def of_rows(cls, mean: Tensor, aleatoric: Tensor, epistemic: Tensor) -> "Prediction":
        """From ``(batch[, time], out)``: each position of a sequence is a row, in order."""
        return cls(*(part.flatten(0, -2) for part in (mean, aleatoric, epistemic)))

    @classmethod
    def joined(cls, parts: "list[Prediction]") -> "Prediction":
        """Predictions of consecutive batches as one."""
        names = ("mean", "aleatoric", "epistemic")
        return cls(*(torch.cat([getattr(part, name) for part in parts]) for name in names))


def floored_variance(log_std: Tensor) -> Tensor:
    """Variance of Gaussians with this log standard deviation, floored; any shape."""
    return (2 * log_std).exp() + VARIANCE_FLOOR


def aleatoric_variance(log_std: Tensor) -> Tensor:
    """Mean variance over draws ``(samples, batch, out)``, floored: ``(batch, out)``."""
    return floored_variance(log_std).mean(0)


def check_targets(mean: Tensor, y: Tensor) -> None:
    """Refuses targets that would broadcast, as (batch,) against (batch, 1) does.

    Raises:
        ValueError: If ``y`` has not exactly the shape of ``mean``.
    """
    if y.shape != mean.shape:
        raise ValueError(f"targets must be {tuple(mean.shape)}, got {tuple(y.shape)}")


class Method(nn.Module, ABC):
    """An encoder and a head that predicts with uncertainty.

    An encoder is any module from an input to tokens ``(batch, time, feature)``. If it has a method
    ``scale(x)``, that one turns raw inputs (say uint8 images) into the numbers that the encoder
    itself reads; inputs are perturbed after it, in units that mean something.

    Attributes:
        encoder: From input to tokens.
        n_samples: Draws per prediction unless the caller says otherwise.
        loss_terms: Parts of the latest loss, detached, for logging.

    Raises:
        ValueError: If an option is out of its range; the message names it.
    """

    def __init__(self, encoder: nn.Module, n_samples: int = 1) -> None:
        super().__init__()
        check_counts(n_samples=n_samples)
        self.encoder = encoder
        self.n_samples = n_samples
        self.loss_terms: dict[str, Tensor] = {}

    def scale(self, x: Tensor) -> Tensor:
        """The input as the encoder reads it."""
        scale = getattr(self.encoder, "scale", None)
        return x if scale is None else scale(x)

    def encode(self, x: Tensor, function: str = "forward") -> Tensor:
        """Tokens ``(batch, time, feature)`` of raw inputs.

        Args:
            x: Raw inputs ``(batch, ...)``.
            function: Which function of the encoder to call, say one that reads single frames; a
                method whose members each have an encoder lays their features side by side.
        """
        tokens: Tensor = getattr(self.encoder, function)(self.scale(x))
        return tokens

    @abstractmethod
    def loss(self, x: Tensor, y: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """The training objective of a batch, a scalar; fills ``loss_terms``.

        Args:
            x: Raw inputs ``(batch, ...)``.
            y: Targets ``(batch, out)``; ``(batch, time, out)`` where every position is predicted.
            generator: Source of every random draw.

        Raises:
            ValueError: If the targets do not have the shape of the predictions.
        """

    @abstractmethod
    def predict_tokens(
        self,
        tokens: Tensor,
        n_samples: int | None = None,
        generator: torch.Generator | None = None,
    ) -> Prediction:
        """Predicts from tokens ``(batch, time, feature)``, sparing the encoder.

        The gradient is kept unless the caller switches it off.
        """

    def predict(
        self, x: Tensor, n_samples: int | None = None, generator: torch.Generator | None = None
    ) -> Prediction:
        """Predicts from raw inputs ``(batch, ...)``."""
        return self.predict_tokens(self.encode(x), n_samples, generator)

    def parameter_groups(self, learning_rate: float) -> list[dict[str, Any]]:
        """Groups for the optimiser; a method that trains its parts at other rates overrides it."""
        return [{"params": [p for p in self.parameters() if p.requires_grad], "lr": learning_rate}]

    def clip_gradients(self, limit: float | None) -> None:
        """Limits the norm of the gradient before a step; None leaves it alone.

        A method whose parts are trained apart overrides it, so that they are clipped apart.
        """
        if limit is not None:
            torch.nn.utils.clip_grad_norm_(self.parameters(), limit)
