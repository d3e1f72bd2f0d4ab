"""A camera out of focus."""

import cv2
import numpy as np

from evaluation.perturbations.protocol import Frame, Perturbation, register


@register
class Blur(Perturbation):
    """The picture convolved with a Gaussian."""

    name = "blur"
    group = "sensing"
    changes = "picture blurred by a Gaussian of {} pixels"
    levels = (0.5, 1.0, 1.5, 2.0, 3.0)

    def frame(self, frame: Frame) -> Frame:
        """The picture, blurred; its border is mirrored."""
        blurred = cv2.GaussianBlur(frame, (0, 0), self.level)
        return np.asarray(blurred, dtype=np.uint8).reshape(frame.shape)
