"""A camera in the dark."""

import numpy as np

from evaluation.perturbations.protocol import Frame, Perturbation, register


@register
class Noise(Perturbation):
    """Gaussian noise on every value of every picture, drawn anew each time."""

    name = "noise"
    group = "sensing"
    changes = "Gaussian noise of {} grey levels (of 255) on every value, anew each frame"
    levels = (5.0, 10.0, 20.0, 40.0, 80.0)

    def frame(self, frame: Frame) -> Frame:
        """The picture with noise, clipped to [0, 255]."""
        noise = self.rng.standard_normal(frame.shape, dtype=np.float32)
        return np.clip(np.rint(frame + self.level * noise), 0, 255).astype(np.uint8)
