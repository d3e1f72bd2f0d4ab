"""A camera that misses frames."""

import numpy as np

from evaluation.perturbations.protocol import Frame, Perturbation, register


@register
class FrameDrop(Perturbation):
    """Pictures lost at random, each by itself; the last one that arrived is shown again."""

    name = "frame-drop"
    group = "sensing"
    changes = "each frame lost with probability {}, the last one shown again"
    levels = (0.1, 0.3, 0.5, 0.7, 0.9)

    def __init__(self, severity: int, rng: np.random.Generator) -> None:
        super().__init__(severity, rng)
        self._last: Frame | None = None

    def frame(self, frame: Frame) -> Frame:
        """The picture or the last one that was shown; the first is never lost."""
        lost = self.rng.random() < self.level
        if self._last is None or not lost:
            self._last = frame
        return self._last
