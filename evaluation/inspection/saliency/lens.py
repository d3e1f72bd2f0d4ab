"""How one looks: which map of saliency, of which action, layer and frame."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from policies.protocol import ACTIONS

MapKind = Literal["gradcam", "gradcam++", "eigencam", "gradient"]
KINDS: tuple[MapKind, ...] = get_args(MapKind)

Maps = NDArray[np.float32]
"""Saliency of each pixel, >= 0, ``(n, rows, columns)``."""


@dataclass(frozen=True)
class Lens:
    """Which map of saliency is drawn.

    Attributes:
        kind: ``gradcam``, ``gradcam++`` or ``eigencam`` weigh the maps of a layer; ``gradient`` is
            how much each pixel changes the action. ``eigencam`` depends on no action.
        layer: Name of the layer whose maps are weighed, as ``relu2``; by default the last one
            whose maps have at least 4 x 4 cells. Not used by ``gradient``.
        action: Whose predicted mean is explained.
        sign: Of the class activation maps: ``either`` shows what changes the action in either
            direction, as ``gradient`` does; ``positive`` only what makes it larger, for steering
            more to the right, as Grad-CAM was published for classes.
        frame: Which frame of the stack: 0 is the newest, 1 the one before; ``all`` is the largest
            of all frames.
    """

    kind: MapKind = "gradcam"
    layer: str = ""
    action: Literal["steer", "gas", "brake"] = "steer"
    sign: Literal["either", "positive"] = "either"
    frame: int | Literal["all"] = 0

    @property
    def words(self) -> str:
        """What the map shows."""
        if self.kind == "eigencam":
            return "eigencam"
        more = "to the right" if self.action == "steer" else "up"
        one_sided = self.kind != "gradient" and self.sign == "positive"
        return f"{self.kind}, {self.action}{f' {more}' if one_sided else ''}"

    @property
    def column(self) -> int:
        """Of the action."""
        return ACTIONS.index(self.action)

    def check_frame(self, frames: int) -> None:
        """Refuses a frame that a stack does not have.

        Raises:
            EvaluationError: It has not.
        """
        if self.frame != "all" and not 0 <= self.frame < frames:
            raise EvaluationError(
                f"frame is {self.frame}, expected 0 (the newest) to {frames - 1}, or all"
            )
