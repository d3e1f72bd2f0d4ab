"""A steering column that shakes."""

import numpy as np

from evaluation.perturbations.protocol import Action, Perturbation, register


@register
class SteeringNoise(Perturbation):
    """Gaussian noise on the steering, drawn anew at each step."""

    name = "steering-noise"
    group = "actuation"
    changes = "Gaussian noise of {} added to steer (full lock is 0.4), anew each step"
    levels = (0.05, 0.1, 0.2, 0.3, 0.5)

    def action(self, action: Action) -> Action:
        """Steered with noise, within the limits."""
        steer, gas, brake = action
        noisy = steer + np.float32(self.level * self.rng.standard_normal())
        return np.array([np.clip(noisy, -1.0, 1.0), gas, brake], dtype=np.float32)
