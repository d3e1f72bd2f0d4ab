"""Dirt on the lens."""

import numpy as np

from evaluation.perturbations.protocol import Frame, Perturbation, register

ABOVE_DASHBOARD = 7 / 8
"""Share of the picture's height that shows the world."""


@register
class Occlusion(Perturbation):
    """A black square that covers the same part of every picture, at a place drawn for the lap."""

    name = "occlusion"
    group = "sensing"
    changes = "black square of {} of the picture's height, somewhere above the dashboard"
    levels = (0.1, 0.2, 0.3, 0.4, 0.5)

    def __init__(self, severity: int, rng: np.random.Generator) -> None:
        super().__init__(severity, rng)
        self.place = rng.random(2)

    def frame(self, frame: Frame) -> Frame:
        """The picture behind the square, which lies wholly within the part that shows the world."""
        height, width = frame.shape[0] * ABOVE_DASHBOARD, frame.shape[1]
        side = round(self.level * frame.shape[0])
        top, left = np.rint(self.place * (height - side, width - side)).astype(int)
        covered = frame.copy()
        covered[top : top + side, left : left + side] = 0
        return covered
