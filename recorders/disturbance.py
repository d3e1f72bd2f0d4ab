"""Disturbs what is driven, so that demonstrations hold recoveries and not only perfect laps."""

import math

import numpy as np
from numpy.typing import NDArray

from policies.protocol import ACTION_HIGH, ACTION_LOW
from recorders.disturbance_config import SHARE, Disturbance


class DisturbanceProcess:
    """The disturbance of one episode."""

    def __init__(self, disturbance: Disturbance, rng: np.random.Generator) -> None:
        self._disturbance = disturbance
        self._rng = rng
        self._deviation = np.array([disturbance.steer, disturbance.pedal])
        self._decay = math.exp(-1 / disturbance.correlation) if disturbance.correlation else 0.0
        self._smooth = np.zeros(2)
        self._kick = 0.0
        self._kick_left = 0
        share = SHARE if disturbance.share is None else disturbance.share
        self._active = bool(rng.random() < share)

    def step(self) -> NDArray[np.float64]:
        """Advances by one step.

        Returns:
            What is added to the steering and to (gas - brake), ``(2,)``.
        """
        if not self._active:
            return np.zeros(2)
        # The exact transition of the stationary process, whatever the step.
        spread = math.sqrt(1 - self._decay**2)
        noise = self._rng.standard_normal(2)
        self._smooth = self._decay * self._smooth + spread * self._deviation * noise
        self._step_kick()
        return np.array([self._smooth[0] + self._kick, self._smooth[1]])

    def _step_kick(self) -> None:
        self._kick_left -= 1
        if self._kick_left <= 0:
            self._kick = 0.0
            if self._disturbance.kick_steps and self._rng.random() < self._disturbance.kick_rate:
                self._kick = self._rng.uniform(-1, 1) * self._disturbance.kick
                self._kick_left = int(self._rng.integers(1, self._disturbance.kick_steps + 1))


def disturb(action: NDArray[np.float32], added: NDArray[np.float64]) -> NDArray[np.float32]:
    """The action that is driven.

    Args:
        action: Steer, gas and brake, ``(3,)``.
        added: What is added to the steering and to (gas - brake), ``(2,)``.

    Returns:
        Within the action limits, ``(3,)``; the action itself where nothing is added.
    """
    if not added.any():
        return action
    steer, gas, brake = action
    pedal = gas - brake + added[1]
    disturbed = np.array([steer + added[0], max(pedal, 0), max(-pedal, 0)], dtype=np.float32)
    return np.clip(disturbed, ACTION_LOW, ACTION_HIGH)
