"""A camera that is late."""

from collections import deque

import numpy as np

from evaluation.perturbations.protocol import Frame, Perturbation, register


@register
class FrameDelay(Perturbation):
    """Every picture arrives some steps late; until the first has, it is shown."""

    name = "frame-delay"
    group = "sensing"
    changes = "each frame {} steps (of 20 ms) late"
    levels = (1, 2, 3, 5, 8)

    def __init__(self, severity: int, rng: np.random.Generator) -> None:
        super().__init__(severity, rng)
        self._coming: deque[Frame] = deque(maxlen=int(self.level) + 1)

    def frame(self, frame: Frame) -> Frame:
        """The picture of some steps ago."""
        self._coming.append(frame)
        return self._coming[0]
