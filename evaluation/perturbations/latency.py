"""Actuators that are late."""

from collections import deque

import numpy as np

from evaluation.perturbations.protocol import Action, Perturbation, register


@register
class Latency(Perturbation):
    """Every action is driven some steps late; until the first is, the car is told nothing."""

    name = "latency"
    group = "actuation"
    changes = "each action {} steps (of 20 ms) late"
    levels = (1, 2, 3, 5, 8)

    def __init__(self, severity: int, rng: np.random.Generator) -> None:
        super().__init__(severity, rng)
        steps = int(self.level)
        nothing = np.zeros(3, dtype=np.float32)
        self._coming: deque[Action] = deque([nothing] * (steps + 1), maxlen=steps + 1)

    def action(self, action: Action) -> Action:
        """The action of some steps ago."""
        self._coming.append(action)
        return self._coming[0]
