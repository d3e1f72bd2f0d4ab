"""CarRacingExtension's Noise: no grass, but colours at random."""

from typing import Any

import numpy as np

from drive.carracing.scenery import GroundNoise, Scenery
from evaluation.perturbations.protocol import Perturbation, register

COARSENED_FROM = 3
"""Severity above which the grains grow, for all of the grass is noise by then."""


@register
class ExtensionNoise(Perturbation):
    """Each world unit of the grass in a colour at random, drawn anew for each frame."""

    name = "ext-noise"
    group = "extension"
    changes = "{} of the world units of grass in random RGB, anew each frame (4, 5: coarser)"
    levels = (1 / 3, 2 / 3, 1.0, 1.0, 1.0)

    def __init__(self, severity: int, rng: np.random.Generator) -> None:
        super().__init__(severity, rng)
        grain = 1 + max(severity - COARSENED_FROM, 0)
        self.noise = GroundNoise(int(rng.integers(2**63)), self.level, grain)

    def reset_options(self) -> dict[str, Any]:
        """The noise."""
        return {"scenery": Scenery(noise=self.noise)}
