"""The paper's colour test: road and grass recoloured, the track as it was."""

from typing import Any

from drive.carracing.colours import draw_paper_colours
from evaluation.perturbations.protocol import Perturbation, register


@register
class Colours(Perturbation):
    """Road and grass in colours of their own on every lap."""

    name = "colours"
    group = "colours"
    changes = "road and background uniform in [0, 210) per channel, grass 20 lighter in one"

    def reset_options(self) -> dict[str, Any]:
        """The colours drawn."""
        return {"colours": draw_paper_colours(self.rng)}


@register
class ColoursOfARun(Colours):
    """As the paper has it: all laps of a run, of a seed that is, in the same colours."""

    name = "colours-run"
    changes = "as `colours`, but drawn once a seed: all maps in the same colours"
    per_run = True
