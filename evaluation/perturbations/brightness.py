"""A camera that exposes too long, or too short."""

import numpy as np

from evaluation.perturbations.protocol import Frame, Perturbation, register


@register
class Brightness(Perturbation):
    """All pictures of a lap lighter, or all darker, as drawn for the lap."""

    name = "brightness"
    group = "sensing"
    changes = "{} grey levels (of 255) added or taken off, as drawn for the lap"
    levels = (20.0, 40.0, 60.0, 80.0, 100.0)

    def __init__(self, severity: int, rng: np.random.Generator) -> None:
        super().__init__(severity, rng)
        self.offset = self.level * rng.choice([-1.0, 1.0])

    def frame(self, frame: Frame) -> Frame:
        """The picture, lighter or darker, clipped to [0, 255]."""
        return np.asarray(np.clip(frame + self.offset, 0, 255), dtype=np.uint8)
