"""The line of least curvature round a track, and how fast it can be driven."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from drive.track import Track

FloatArray = NDArray[np.float64]

SPACING = 3.5
"""World units between stations: gymnasium's tile length."""
ROUNDS = 3
"""Of planning; a further one shortens a lap by less than 0.1 %."""
STEP = 0.01
"""Penalty of the alternating direction method of multipliers."""
LEAST_GRIP = 0.2
"""Share of the pedals' limits that is granted even in the tightest part of a bend."""


@dataclass(frozen=True)
class LineConfig:
    """What the line and its speeds keep to; lengths in world units, times in seconds.

    On a road the tyres' limit is 219 (four of 400 on a mass of 7.3); speeding up is limited to
    about 45 by the grip of the driven wheels, whose own inertia takes most of the engine's power.

    Attributes:
        margin: Kept between the line and the edge of the road, at least 0.
        lateral_acceleration: Largest in bends.
        acceleration: Largest when speeding up straight ahead.
        braking: Largest when slowing down straight ahead.
        top_speed: Never exceeded.
        straightness: Weight of staying near the centre against curvature, at least 0. It sets how
            far ahead the line prepares for a bend: about ``SPACING * straightness ** -0.25``,
            which had better lie within the 37 units that the picture shows.
    """

    margin: float = 3.5
    lateral_acceleration: float = 180.0
    acceleration: float = 44.0
    braking: float = 130.0
    top_speed: float = 95.0
    straightness: float = 5e-4


@dataclass(frozen=True)
class RacingLine:
    """A closed line with the speed to drive it at.

    Attributes:
        track: The line as a track of its own, to project on.
        speed: At the line's points, ``(n,)``.
        laps: Share of the road's lap beside each of the line's points, rising, ``(n,)``; the first
            is near 0 and may be negative.
    """

    track: Track
    speed: FloatArray
    laps: FloatArray

    def arc_length_at(self, lap: float) -> float:
        """Arc length of the line beside a share of the road's lap, from 0 to 1."""
        laps = np.append(self.laps, self.laps[0] + 1.0)
        ends = np.append(self.track.arc_lengths, self.track.length)
        return float(np.interp(lap if lap >= laps[0] else lap + 1.0, laps, ends))

    def speed_at(self, arc_length: float) -> float:
        """Speed at an arc length of the line, taken modulo a lap."""
        knots = self.track.arc_lengths
        s = arc_length % self.track.length
        return float(np.interp(s, knots, self.speed, period=self.track.length))


def plan(track: Track, config: LineConfig) -> RacingLine:
    """Plans the line of least curvature inside the road and its speed profile.

    Curvature is linear in the offsets only where these are small, so each round starts from evenly
    spaced stations on the line of the round before (Heilmeier et al. 2020, section 3.2). Without
    that, hairpins come out tighter than the road's own middle.
    """
    count = max(int(track.length / SPACING), 8)
    room = max(track.half_width - config.margin, 0.0)
    line = track
    for _ in range(ROUNDS):
        stations = np.arange(count) * line.length / count
        points, heading = line.point_at(stations), line.heading_at(stations)
        normals = np.column_stack([-np.sin(heading), np.cos(heading)])
        turned = np.roll(points, -1, axis=0) + np.roll(points, 1, axis=0) - 2.0 * points
        bends = (normals * turned).sum(axis=1)
        errors = beside(track, points)[1]
        offsets = least_curvature(bends, errors, room, config.straightness)
        line = Track(points + offsets[:, None] * normals, track.half_width)
    laps = beside(track, line.points)[0] / track.length
    return RacingLine(line, speed_profile(line, config), laps)


def beside(road: Track, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where on a road the points of a line along it lie, followed from one to the next.

    Returns:
        Arc lengths, rising from about 0 and not wrapped, and lateral errors, both ``(n,)``.
    """
    arc_lengths, errors = np.empty(len(points)), np.empty(len(points))
    half, last = 0.5 * road.length, 0.0
    for i, point in enumerate(points):
        found = road.project(point, near=last % road.length)
        last += (found.arc_length - last + half) % road.length - half
        arc_lengths[i], errors[i] = last, found.lateral_error
    return arc_lengths, errors


def least_curvature(
    bends: FloatArray, errors: FloatArray, room: float, straightness: float
) -> FloatArray:
    """Offsets to the left of a line that minimise its summed squared curvature.

    An offset x(s) changes the curvature by x''(s), where it is small against the radius. That is a
    quadratic programme with bounds, solved by the alternating direction method of multipliers
    (Boyd et al. 2011, section 5.2): one factorisation, then clipped back-substitutions.

    Args:
        bends: Second differences of evenly spaced points across the line, left positive, ``(n,)``:
            the curvature times the square of the spacing.
        errors: Lateral errors of the points from the middle of the road, ``(n,)``.
        room: Largest lateral error allowed to either side.
        straightness: Weight of the squared lateral errors against the squared second differences.

    Returns:
        Offsets, ``(n,)``, left positive; with the errors they stay within the room.
    """
    n = len(bends)
    second = np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), -1, axis=1) - 2.0 * np.eye(n)
    hessian = second @ second + straightness * np.eye(n)
    gradient = second @ bends + straightness * errors
    factor = cho_factor(hessian + STEP * np.eye(n))
    bounded, dual = np.zeros(n), np.zeros(n)
    for _ in range(1000):
        free = cho_solve(factor, STEP * (bounded - dual) - gradient, check_finite=False)
        before = bounded
        bounded = np.clip(free + dual, -room - errors, room - errors)
        dual += free - bounded
        if max(np.abs(bounded - before).max(), np.abs(free - bounded).max()) < 1e-3:
            break
    return bounded


def speed_profile(line: Track, config: LineConfig) -> FloatArray:
    """Highest speeds that respect the limits: bends first, then a backward and a forward pass.

    A bend leaves to the pedals what remains of a friction ellipse.

    Returns:
        Speeds at the line's points, ``(n,)``.
    """
    bend = np.maximum(np.abs(line.curvature), 1e-9)
    squared = np.minimum(config.lateral_acceleration / bend, config.top_speed**2)
    gaps = np.diff(line.arc_lengths, append=line.length)
    n = len(squared)

    def grip(i: int) -> float:
        used = squared[i] * bend[i] / config.lateral_acceleration
        return float(np.sqrt(max(1.0 - used**2, LEAST_GRIP**2)))

    slowest = int(squared.argmin())
    for step in range(1, n):
        here, after = (slowest - step) % n, (slowest - step + 1) % n
        gain = 2.0 * config.braking * grip(after) * gaps[here]
        squared[here] = min(squared[here], squared[after] + gain)
    for step in range(1, n):
        here, before = (slowest + step) % n, (slowest + step - 1) % n
        gain = 2.0 * config.acceleration * grip(before) * gaps[before]
        squared[here] = min(squared[here], squared[before] + gain)
    return np.asarray(np.sqrt(squared))
