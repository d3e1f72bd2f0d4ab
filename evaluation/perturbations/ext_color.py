"""CarRacingExtension's Color and Color3: road and grass somewhat off their usual colours."""

from typing import Any

import numpy as np

from drive.carracing.colours import ColourScheme
from evaluation.perturbations.protocol import Perturbation, register


@register
class ExtensionColor(Perturbation):
    """One offset for all channels of the road, another for the grass; the light patches stay."""

    name = "ext-color"
    group = "extension"
    changes = "offset up to {} (of 1) on the road's colour, another on the grass's"
    levels = (0.067, 0.133, 0.2, 0.267, 0.333)
    channels = 1

    def reset_options(self) -> dict[str, Any]:
        """The colours, where they leave [0, 255] clipped to it."""
        usual = np.array([ColourScheme.road, ColourScheme.background])
        offsets = 255.0 * self.level * self.rng.uniform(-1.0, 1.0, (2, self.channels))
        road, background = np.clip(usual + offsets, 0.0, 255.0).tolist()
        return {"colours": ColourScheme(road=tuple(road), background=tuple(background))}


@register
class ExtensionColor3(ExtensionColor):
    """An offset of its own for each channel of road and grass; the light patches stay."""

    name = "ext-color3"
    changes = "as `ext-color`, with an offset for each channel"
    channels = 3
