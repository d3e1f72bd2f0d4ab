"""Perturbed inputs, which stand for data unlike those of the training."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from nsac_core.options import check_numbers


@dataclass(frozen=True)
class Perturbation:
    """Gaussian noise added to the (scaled) inputs of a batch.

    Attributes:
        mean: Of the noise.
        std: Of the noise.
        share: Share of a batch that is perturbed, in (0, 1]: less is cheaper.

    Raises:
        ValueError: If the share lies outside (0, 1].
    """

    mean: float = 0.0
    std: float = 5.0
    share: float = 1.0

    def __post_init__(self) -> None:
        check_numbers(ood_std=self.std)
        check_numbers(-math.inf, ood_mean=self.mean)
        if not (isinstance(self.share, int | float) and 0 < self.share <= 1):
            raise ValueError(f"ood_share must lie in (0, 1], got {self.share!r}")

    def tokens(self, encoder: nn.Module, x: Tensor, generator: torch.Generator | None) -> Tensor:
        """Tokens of the perturbed first rows of a batch.

        Args:
            encoder: From scaled inputs to tokens.
            x: Scaled inputs ``(batch, ...)``.
            generator: Source of the noise.

        Raises:
            ValueError: If the inputs are integers.
        """
        if not x.is_floating_point():
            raise ValueError(f"inputs must be floating point to be perturbed, got {x.dtype}")
        part = x[: math.ceil(self.share * len(x))]
        noise = torch.randn(part.shape, generator=generator, device=x.device, dtype=x.dtype)
        # Batch statistics of noise must not leak into the normalisation of real inputs.
        with _frozen_normalisation(encoder):
            tokens: Tensor = encoder(part + noise.mul_(self.std).add_(self.mean))
        return tokens


@contextmanager
def _frozen_normalisation(encoder: nn.Module) -> Iterator[None]:
    """Batch normalisation uses, and does not update, its running statistics inside."""
    layers = [
        module
        for module in encoder.modules()
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.training
    ]
    for module in layers:
        module.eval()
    try:
        yield
    finally:
        for module in layers:
            module.train()
