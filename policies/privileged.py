"""The privileged driver: knows track and car, follows a racing line, demonstrates and labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from drive.carracing.world import CarRacingWorld
from drive.observation import ObservationSpec
from drive.track import Track
from policies.protocol import Decision
from policies.racing_line import LineConfig, RacingLine, plan

WHEELBASE = 3.24
"""World units between the axles: (80 + 82) * 0.02."""
FULL_LOCK = 0.4
"""Radians at which the front wheels' joints end; a steering action beyond it changes nothing."""


@dataclass(frozen=True)
class PrivilegedConfig:
    """How the privileged driver drives; lengths in world units, times in seconds.

    Attributes:
        line: Limits of the racing line and its speeds.
        look_ahead: Distance to the point aimed at when standing.
        look_ahead_time: Its growth with speed.
        yaw_damping: Steering, in radians, against each rad/s of yaw rate beyond the path's.
        speed_gain: Gas for each unit of speed that is missing.
        brake_gain: Brake for each unit of speed in excess.
        speed_preview: Seconds ahead at which the profile is read, since the car reacts late.
        slip: Wheel-spin speed beyond the car's at which gas starts to be taken back.
        slide: Sideways speed at which gas starts to be taken back.
        rescue_speed: Speed off the road, or when facing away from it.
    """

    line: LineConfig = field(default_factory=LineConfig)
    look_ahead: float = 5.0
    look_ahead_time: float = 0.2
    yaw_damping: float = 0.03
    speed_gain: float = 0.25
    brake_gain: float = 0.06
    speed_preview: float = 0.12
    slip: float = 6.0
    slide: float = 8.0
    rescue_speed: float = 40.0


class PrivilegedDriver:
    """Follows the line of least curvature; every action is a function of the world's state alone.

    Attributes:
        name: ``privileged``.
        observation: The worlds themselves.
        config: How it drives.
    """

    name = "privileged"
    observation = ObservationSpec("world", 1)

    def __init__(self, config: PrivilegedConfig | None = None) -> None:
        self.config = config or PrivilegedConfig()
        self._lines: WeakKeyDictionary[Track, RacingLine] = WeakKeyDictionary()

    def reset(self, n: int, seed: int = 0) -> None:
        """Nothing to prepare: the driver keeps no memory and draws no random number."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        """Actions for worlds, ``(n, 3)``."""
        return Decision.certain(np.array([self.drive(world) for world in observations]))

    def line(self, track: Track) -> RacingLine:
        """The racing line of a track, planned once."""
        if track not in self._lines:
            self._lines[track] = plan(track, self.config.line)
        return self._lines[track]

    def drive(self, world: CarRacingWorld) -> tuple[float, float, float]:
        """Steer, gas and brake for one car."""
        state = _CarState.of(world)
        line = self.line(world.track_geometry)
        # Where the car is on the road bounds where on the line to look: roads may come close.
        lap = world.lap.progress % 1.0
        s = line.track.project(state.position, near=line.arc_length_at(lap)).arc_length
        gas, brake = self._pedals(state, line, s, self._lost(world, state))
        return -self._steer(state, line, s), gas, brake

    def _lost(self, world: CarRacingWorld, state: "_CarState") -> float:
        """0 on the road and facing along it, 1 off it or facing away, and between in between."""
        track = world.track_geometry
        road = track.project(state.position, near=world.lap.progress % 1.0 * track.length)
        away = abs(math.remainder(state.heading - road.heading, 2.0 * math.pi))
        off = abs(road.lateral_error) / track.half_width
        return float(np.clip(max((off - 1.0) / 0.6, (away - 0.9) / 0.6), 0.0, 1.0))

    def _steer(self, state: "_CarState", line: RacingLine, s: float) -> float:
        """Front wheel angle in radians, left positive: pure pursuit with yaw damping."""
        config = self.config
        reach = config.look_ahead + config.look_ahead_time * state.speed
        target = line.track.point_at(s + reach)
        dx, dy = target - state.position
        distance = max(math.hypot(dx, dy), 1e-6)
        bearing = math.remainder(math.atan2(dy, dx) - state.heading, 2.0 * math.pi)
        if abs(bearing) > 0.5 * math.pi:
            return math.copysign(FULL_LOCK, bearing)
        bend = 2.0 * math.sin(bearing) / distance
        angle = math.atan(WHEELBASE * bend)
        angle -= config.yaw_damping * (state.yaw_rate - state.speed * bend)
        return float(np.clip(angle, -FULL_LOCK, FULL_LOCK))

    def _pedals(
        self, state: "_CarState", line: RacingLine, s: float, lost: float
    ) -> tuple[float, float]:
        """Gas and brake: the line's speed, less wheel spin and slide."""
        config = self.config
        wanted = line.speed_at(s + config.speed_preview * state.speed)
        wanted = (1.0 - lost) * wanted + lost * min(wanted, config.rescue_speed)
        missing = wanted - state.forward_speed
        gas = float(np.clip(config.speed_gain * missing, 0.0, 1.0))
        gas *= float(np.clip(2.0 - state.spin / config.slip, 0.0, 1.0))
        gas *= float(np.clip(2.0 - abs(state.side_speed) / config.slide, 0.0, 1.0))
        brake = float(np.clip(-config.brake_gain * missing, 0.0, 0.8))
        brake *= float(np.clip(2.0 + state.spin / config.slip, 0.0, 1.0))
        return gas, brake


@dataclass(frozen=True)
class _CarState:
    position: tuple[float, float]
    heading: float
    yaw_rate: float
    speed: float
    forward_speed: float
    side_speed: float
    spin: float

    @classmethod
    def of(cls, world: CarRacingWorld) -> "_CarState":
        hull = world.car.hull
        heading = hull.angle + 0.5 * math.pi
        vx, vy = hull.linearVelocity
        forward = vx * math.cos(heading) + vy * math.sin(heading)
        side = -vx * math.sin(heading) + vy * math.cos(heading)
        rear = world.car.wheels[2:]
        spin = 0.5 * sum(wheel.omega * wheel.wheel_rad for wheel in rear) - forward
        x, y = hull.position
        speed = math.hypot(vx, vy)
        return cls((x, y), heading, hull.angularVelocity, speed, forward, side, spin)
