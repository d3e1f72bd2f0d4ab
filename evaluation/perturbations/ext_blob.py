"""CarRacingExtension's Blob: a red square that travels with the car."""

from typing import Any

from drive.carracing.scenery import Scenery
from evaluation.perturbations.protocol import Perturbation, register


@register
class ExtensionBlob(Perturbation):
    """A red square at a fixed place in the car's frame, ahead of it and to its right."""

    name = "ext-blob"
    group = "extension"
    changes = "red square of {} world units' side ahead of the car, to its right"
    levels = (4.0, 6.0, 8.0, 10.0, 12.0)

    def reset_options(self) -> dict[str, Any]:
        """The square."""
        return {"scenery": Scenery(blob=self.level)}
