"""CarRacingExtension's Bar: a narrower view."""

from typing import Any

from drive.carracing.scenery import Scenery
from evaluation.perturbations.protocol import Perturbation, register


@register
class ExtensionBar(Perturbation):
    """Black bars at the left and right of the picture, above the dashboard."""

    name = "ext-bar"
    group = "extension"
    changes = "black bars of {} of the picture's width left and right"
    levels = (0.025, 0.05, 0.075, 0.1, 0.125)

    def reset_options(self) -> dict[str, Any]:
        """The bars."""
        return {"scenery": Scenery(bars=self.level)}
