"""A steering column out of true."""

import numpy as np

from evaluation.perturbations.protocol import Action, Perturbation, register


@register
class SteeringBias(Perturbation):
    """The same amount added to the steering all lap long, to the side drawn for the lap."""

    name = "steering-bias"
    group = "actuation"
    changes = "{} added to steer (full lock is 0.4), to the left or right as drawn for the lap"
    levels = (0.02, 0.05, 0.1, 0.15, 0.2)

    def __init__(self, severity: int, rng: np.random.Generator) -> None:
        super().__init__(severity, rng)
        self.bias = np.float32(self.level * rng.choice([-1.0, 1.0]))

    def action(self, action: Action) -> Action:
        """Steered to the side by the bias, within the limits."""
        steer, gas, brake = action
        return np.array([np.clip(steer + self.bias, -1.0, 1.0), gas, brake], dtype=np.float32)
