"""The privileged driver: knows track and car, follows a racing line, demonstrates and labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from gymnasium.envs.box2d.car_dynamics import ENGINE_POWER, SIZE, WHEEL_MOMENT_OF_INERTIA, WHEEL_R
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
RADIUS = WHEEL_R * SIZE
INERTIA = 7.3 + 4.0 * WHEEL_MOMENT_OF_INERTIA / RADIUS**2
"""Mass that the pedals must move: the car's, and the wheels' moments of inertia, three times it."""
FULL_BRAKE = 4.0 * WHEEL_MOMENT_OF_INERTIA * 15.0 * 50.0 / (RADIUS * INERTIA)
"""Deceleration of a brake pedal of 1: 15 rad/s a step are taken from each wheel, 50 steps a s."""


@dataclass(frozen=True)
class PrivilegedConfig:
    """How the privileged driver drives; lengths in world units, times in seconds.

    Attributes:
        line: Limits of the racing line and its speeds.
        return_distance: Distance over which an error is steered away when standing.
        return_time: Its growth with speed.
        gain: Curvature steered for each radian of heading error, times that distance.
        steering_delay: How far ahead the line's curvature is read.
        yaw_damping: Steering, in radians, against each rad/s of yaw rate beyond the path's.
        steepest_return: Largest angle to the line, in radians, at which the car comes back to it.
        speed_preview: How far ahead the speed profile is read, and in which time it is reached.
        reserve: Share of the profile's acceleration and braking that corrections may add.
        slip: Speed at which the driven wheels slip when gas (or all, when brake) is taken back.
        slide: Sideways speed at which gas starts to be taken back.
        rescue_speed: Speed off the road, or when facing away from it.
    """

    line: LineConfig = field(default_factory=LineConfig)
    return_distance: float = 4.0
    return_time: float = 0.15
    gain: float = 2.0
    steering_delay: float = 0.07
    yaw_damping: float = 0.03
    steepest_return: float = 1.0
    speed_preview: float = 0.2
    reserve: float = 0.3
    slip: float = 5.0
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
            points = track.points.tobytes()
            self._lines[track] = _planned(points, track.half_width, self.config.line)
        return self._lines[track]

    def drive(self, world: CarRacingWorld) -> tuple[float, float, float]:
        """Steer, gas and brake for one car."""
        car = _CarState.of(world)
        line = self.line(world.track_geometry)
        lap = world.lap.progress % 1.0
        # Where the car is on the road bounds where on the line to look: roads may come close.
        on_line = line.track.project(car.position, near=line.arc_length_at(lap))
        ahead = on_line.arc_length + self.config.steering_delay * car.speed
        bend = float(line.track.curvature_at(ahead))
        angle = self._steer(car, on_line.lateral_error, on_line.heading, bend)
        wanted = line.speed_at(on_line.arc_length + self.config.speed_preview * car.speed)
        lost = self._lost(world, car, lap)
        wanted = (1.0 - lost) * wanted + lost * min(wanted, self.config.rescue_speed)
        gas, brake = self._pedals(car, wanted)
        return -angle, gas, brake

    def _steer(self, car: "_CarState", lateral_error: float, heading: float, bend: float) -> float:
        """Front wheel angle in radians, left positive: the line's bend, and back to the line.

        The car is to come back at an angle that falls with its distance (a line-of-sight guidance
        law), so that the same rule holds on the line and far off it.
        """
        config = self.config
        distance = config.return_distance + config.return_time * car.speed
        back = math.atan(lateral_error / distance)
        limit = config.steepest_return
        error = heading - _clip(back, -limit, limit) - car.heading
        error = _clip(math.remainder(error, 2.0 * math.pi), -1.0, 1.0)
        bend += config.gain * error / distance
        angle = math.atan(WHEELBASE * bend)
        angle -= config.yaw_damping * (car.yaw_rate - car.speed * bend)
        return _clip(angle, -FULL_LOCK, FULL_LOCK)

    def _lost(self, world: CarRacingWorld, car: "_CarState", lap: float) -> float:
        """0 on the road and facing along it, 1 off it or facing away, and between in between."""
        track = world.track_geometry
        road = track.project(car.position, near=lap * track.length)
        away = abs(math.remainder(car.heading - road.heading, 2.0 * math.pi))
        off = abs(road.lateral_error) / track.half_width
        return _clip(max((off - 1.0) / 0.6, (away - 0.9) / 0.6), 0.0, 1.0)

    def _pedals(self, car: "_CarState", wanted: float) -> tuple[float, float]:
        """Gas and brake that reach a speed in time, less wheel spin, slide and locking wheels."""
        config, line = self.config, self.config.line
        demand = (wanted - car.forward_speed) / config.speed_preview
        if demand > 0.0:
            demand = min(demand, (1.0 + config.reserve) * line.acceleration)
            engine = 2.0 * ENGINE_POWER / ((abs(car.wheel_speed) / RADIUS + 5.0) * RADIUS)
            gas = min(demand * INERTIA / engine, 1.0)
            gas *= _clip(2.0 - (car.wheel_speed - car.forward_speed) / config.slip, 0.0, 1.0)
            return gas * _clip(2.0 - abs(car.side_speed) / config.slide, 0.0, 1.0), 0.0
        brake = min(-demand, (1.0 + config.reserve) * line.braking) / FULL_BRAKE
        return 0.0, brake * _clip(
            2.0 + (car.wheel_speed - car.forward_speed) / config.slip, 0.0, 1.0
        )


@dataclass(frozen=True)
class _CarState:
    position: tuple[float, float]
    heading: float
    yaw_rate: float
    speed: float
    forward_speed: float
    side_speed: float
    wheel_speed: float

    @classmethod
    def of(cls, world: CarRacingWorld) -> "_CarState":
        hull = world.car.hull
        heading = hull.angle + 0.5 * math.pi
        vx, vy = hull.linearVelocity
        forward = vx * math.cos(heading) + vy * math.sin(heading)
        side = -vx * math.sin(heading) + vy * math.cos(heading)
        rear = world.car.wheels[2:]
        rolling = 0.5 * RADIUS * float(rear[0].omega + rear[1].omega)
        x, y = hull.position
        speed = math.hypot(vx, vy)
        return cls((x, y), heading, hull.angularVelocity, speed, forward, side, rolling)


@lru_cache(maxsize=128)
def _planned(points: bytes, half_width: float, config: LineConfig) -> RacingLine:
    """A road's line, planned once a process: many drivers may be supervised on the same roads."""
    centre_line = np.frombuffer(points, dtype=np.float64).reshape(-1, 2)
    return plan(Track(centre_line, half_width), config)


def _clip(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))
