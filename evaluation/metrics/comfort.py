"""Smoothness: steering changes, accelerations, and nuPlan's comfort bounds.

A world unit is not a metre. Lengths are scaled so that the road is 7 m wide, as the Udacity lake
track is: one unit is 3.5 m / half-width, about half a metre. CarRacing is raced, not driven
home, so most laps break the bounds; the shares compare policies with each other.
"""

import numpy as np

from evaluation.lap import FPS, FloatArray, Lap
from evaluation.metrics.base import metric

HALF_ROAD_METRES = 3.5
LATERAL_BOUND = 4.89
"""nuPlan's bound on lateral acceleration, m/s^2."""
LONGITUDINAL_BOUNDS = (-4.05, 2.40)
"""nuPlan's bounds on longitudinal acceleration, m/s^2."""
JERK_BOUND = 8.37
"""nuPlan's bound on the magnitude of the jerk, m/s^3."""
WINDOW = 8
"""Steps over which velocities are smoothed before they are differentiated: 0.16 s."""


@metric("steering_change", "mean absolute change of the steering from step to step", better="low")
def steering_change(lap: Lap) -> float:
    """Undefined for a single step."""
    steer = lap.column("action_steer")
    return float(np.abs(np.diff(steer)).mean()) if len(steer) > 1 else np.nan


@metric("lateral_acceleration_p95", "95th percentile of lateral acceleration", "m/s^2", "low")
def lateral_acceleration_p95(lap: Lap) -> float:
    """Magnitude, at 7 m of road width."""
    return _percentile(np.abs(_accelerations(lap)[1]))


@metric("jerk_p95", "95th percentile of the jerk's magnitude", "m/s^3", "low")
def jerk_p95(lap: Lap) -> float:
    """At 7 m of road width."""
    return _percentile(_jerk(lap))


@metric("comfortable_share", "share of steps within all of nuPlan's comfort bounds", better="high")
def comfortable_share(lap: Lap) -> float:
    """0 to 1."""
    forward, lateral = _accelerations(lap)
    jerk = _jerk(lap)
    if not len(jerk):
        return np.nan
    low, high = LONGITUDINAL_BOUNDS
    calm = (forward >= low) & (forward <= high) & (np.abs(lateral) <= LATERAL_BOUND)
    return float((calm[1:] & (jerk <= JERK_BOUND)).mean())


def _accelerations(lap: Lap) -> tuple[FloatArray, FloatArray]:
    """Along and across the car, m/s^2, from smoothed displacements, ``(m,)`` each."""
    acceleration, heading = _acceleration(lap)
    cos, sin = np.cos(heading), np.sin(heading)
    return (
        acceleration[:, 0] * cos + acceleration[:, 1] * sin,
        acceleration[:, 1] * cos - acceleration[:, 0] * sin,
    )


def _jerk(lap: Lap) -> FloatArray:
    acceleration, _ = _acceleration(lap)
    change = np.diff(acceleration, axis=0) * FPS
    return np.asarray(np.hypot(change[:, 0], change[:, 1]))


def _acceleration(lap: Lap) -> tuple[FloatArray, FloatArray]:
    """In the world's axes, m/s^2, ``(m, 2)``, and the car's heading then, ``(m,)``."""
    metres = HALF_ROAD_METRES / lap.half_width
    position = np.column_stack([lap.column("x"), lap.column("y")]) * metres
    if len(position) <= 2 * WINDOW + 2:
        return np.empty((0, 2)), np.empty(0)
    velocity = (position[WINDOW:] - position[:-WINDOW]) * FPS / WINDOW
    acceleration = (velocity[WINDOW:] - velocity[:-WINDOW]) * FPS / WINDOW
    return acceleration, lap.column("heading")[WINDOW:-WINDOW]


def _percentile(values: FloatArray) -> float:
    return float(np.percentile(values, 95)) if len(values) else np.nan
