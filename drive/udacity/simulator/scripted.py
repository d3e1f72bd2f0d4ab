"""Drives a course from the simulator's own knowledge of where the car is."""

import math

import numpy as np

from drive.track import Track
from drive.udacity.simulator.scripted_config import ScriptedConfig
from drive.udacity.simulator.simulator import State
from drive.udacity.simulator.vehicle import MAX_STEER, MPH, TOP_SPEED, WHEELBASE


class ScriptedDriver:
    """Pure pursuit of the centre line, slower in bends.

    Source of the steering law: Coulter, Implementation of the Pure Pursuit Path Tracking
    Algorithm, CMU-RI-TR-92-01, 1992.
    """

    def __init__(self, track: Track, config: ScriptedConfig | None = None) -> None:
        self.config = config or ScriptedConfig()
        self._track = track

    def drive(self, state: State) -> tuple[float, float]:
        """Steering (right positive) and throttle in [-1, 1]."""
        return self.steer(state), self.pedal(state)

    def steer(self, state: State) -> float:
        """Steering in [-1, 1] onto the circle through a point of the centre line ahead."""
        config = self.config
        distance = config.lookahead + config.preview * abs(state.speed)
        x, y = self._track.point_at(state.arc + distance)
        bearing = math.atan2(y - state.y, x - state.x) - state.heading
        bend = 2.0 * math.sin(bearing) / math.hypot(x - state.x, y - state.y)
        return float(np.clip(-math.atan(WHEELBASE * bend) / MAX_STEER, -1.0, 1.0))

    def pedal(self, state: State) -> float:
        """Throttle in [-1, 1] that reaches the slowest speed allowed soon ahead."""
        ahead = state.arc + np.linspace(0.0, 4.0 + 1.2 * abs(state.speed), 12)
        bend = float(np.abs(self._track.curvature_at(ahead)).max())
        wanted = min(self.config.speed * MPH, TOP_SPEED)
        wanted = min(wanted, math.sqrt(self.config.grip / max(bend, 1e-6)))
        return float(np.clip(0.6 * (wanted - state.speed) + 0.019 * wanted, -1.0, 1.0))


class Disturbance:
    """What is added to the steering: a stationary Ornstein-Uhlenbeck process."""

    def __init__(self, config: ScriptedConfig, rng: np.random.Generator) -> None:
        self._deviation = config.disturbance
        self._correlation = config.correlation
        self._rng = rng
        self._value = 0.0

    def step(self, seconds: float) -> float:
        """Its value some time later."""
        decay = math.exp(-seconds / self._correlation)
        spread = self._deviation * math.sqrt(1.0 - decay * decay)
        self._value = decay * self._value + spread * float(self._rng.standard_normal())
        return self._value
