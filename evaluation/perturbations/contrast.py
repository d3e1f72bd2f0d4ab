"""A camera in the fog."""

import numpy as np

from evaluation.perturbations.protocol import Frame, Perturbation, register


@register
class Contrast(Perturbation):
    """Every picture drawn together around its mean."""

    name = "contrast"
    group = "sensing"
    changes = "distance of every value from the mean of its picture times {}"
    levels = (0.8, 0.6, 0.4, 0.2, 0.1)

    def frame(self, frame: Frame) -> Frame:
        """The picture with less contrast; each channel keeps its mean."""
        mean = frame.mean(axis=(0, 1), dtype=np.float64)
        faded = np.rint(mean + self.level * (frame - mean))
        return np.asarray(faded, dtype=np.uint8)
