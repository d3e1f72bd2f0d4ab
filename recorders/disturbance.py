"""Disturbs what is driven, so that demonstrations hold recoveries and not only perfect laps."""

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from policies.protocol import ACTION_HIGH, ACTION_LOW


@dataclass(frozen=True)
class Disturbance:
    """How executed actions differ from the expert's.

    With the defaults the privileged driver wanders, leaves the road now and then, comes back and
    still completes its laps; with twice the steering it loses some of them.

    Attributes:
        share: Share of the episodes that are disturbed; the others are driven cleanly.
        steer: Standard deviation of a smooth (Ornstein-Uhlenbeck) disturbance of the steering.
        pedal: The same for gas (positive) and brake (negative).
        correlation: Steps after which the smooth disturbances have decayed to 1/e.
        kick_rate: Probability per step that a kick of the steering begins.
        kick: Largest size of a kick; sizes are uniform in [-kick, kick].
        kick_steps: Longest kick; lengths are uniform in [1, kick_steps].
    """

    share: float = 0.8
    steer: float = 0.05
    pedal: float = 0.1
    correlation: float = 15.0
    kick_rate: float = 0.01
    kick: float = 0.4
    kick_steps: int = 8

    def check(self) -> None:
        """Checks the fields.

        Raises:
            ValueError: A field is negative, or a probability exceeds 1.
        """
        for entry in fields(self):
            if not getattr(self, entry.name) >= 0:
                raise ValueError(f"noise.{entry.name} must not be negative")
        for name in ("share", "kick_rate"):
            if getattr(self, name) > 1:
                raise ValueError(f"noise.{name} must lie in [0, 1], not {getattr(self, name)}")


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
        self._active = bool(rng.random() < disturbance.share)

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
