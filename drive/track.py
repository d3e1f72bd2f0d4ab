"""Geometry of a closed centre line: arc length, projection, heading, curvature, progress.

World units throughout; headings are of travel, in radians counter-clockwise from +x; left is
positive.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from drive.projection import nearest, nearest_many

FloatArray = NDArray[np.float64]
Position = Sequence[float] | FloatArray

REACH = 4.0  # half-widths searched either side of `near`: more than a car moves between two calls


class Projection(NamedTuple):
    """Where a position lies along a track.

    Attributes:
        arc_length: Of the nearest point of the centre line, in [0, length).
        lateral_error: Signed distance to the centre line, left of the direction of travel positive.
        heading: Of travel at the nearest point, in [-pi, pi).
        curvature: At the nearest point, left bends positive (1 / world units).
        segment: Index of the nearest segment; segment i runs from point i to point i + 1.
    """

    arc_length: float
    lateral_error: float
    heading: float
    curvature: float
    segment: int


class Track:
    """A closed polyline with everything one asks of a road's centre.

    The centre line itself is piecewise linear (distances are to its segments); heading and
    curvature vary linearly along a segment, from values at the points that are exact on circles.

    Attributes:
        points: Centre line, (n, 2), the first point not repeated.
        half_width: Of the road.
        length: Of one lap.
        arc_lengths: Of the points, (n,), the first 0.
        headings: Of travel at the points, (n,), in [-pi, pi).
        curvature: At the points, (n,): turning angles smoothed over arc length by a Gaussian whose
            standard deviation is half the half-width, or the mean spacing where that is larger; its
            integral over a lap is the total turning (+-2 pi).
    """

    def __init__(self, centre_line: ArrayLike, half_width: float) -> None:
        self.points: FloatArray = np.array(centre_line, dtype=np.float64)
        if self.points.ndim != 2 or self.points.shape[1] != 2 or len(self.points) < 3:
            raise ValueError(f"a centre line has shape (n >= 3, 2), not {self.points.shape}")
        self.half_width = float(half_width)
        vectors = np.roll(self.points, -1, axis=0) - self.points
        lengths = np.hypot(vectors[:, 0], vectors[:, 1])
        if not lengths.min() > 0:
            raise ValueError("a centre line has finite points, no two neighbours equal")
        ends = np.cumsum(lengths)
        self.length = float(ends[-1])
        self.arc_lengths: FloatArray = np.concatenate([[0.0], ends[:-1]])
        turns, self.headings = _headings(vectors, lengths)
        spread = max(0.5 * self.half_width, self.length / len(self.points))
        self.curvature = _curvature(turns, self.arc_lengths, self.length, spread)
        self._table: FloatArray = np.column_stack(
            [
                *(self.points, vectors, lengths, self.arc_lengths),
                *(self.headings, wrap_angle(np.roll(self.headings, -1) - self.headings)),
                *(self.curvature, np.roll(self.curvature, -1) - self.curvature),
            ]
        )

    def project(self, position: Position, near: float | None = None) -> Projection:
        """The nearest point of the centre line.

        Args:
            position: (2,), world units.
            near: Arc length in whose neighbourhood (`REACH` half-widths to either side) to look, so
                that a car stays on its own road where two roads meet; None looks everywhere.
        """
        x, y = position
        reach = np.inf if near is None else REACH * self.half_width
        return Projection(*nearest(self._table, self.length, x, y, near or 0.0, reach))

    def project_many(self, positions: ArrayLike) -> FloatArray:
        """Projections of many positions, each looked for everywhere.

        Args:
            positions: (m, 2).

        Returns:
            (m, 5), the columns in the order of `Projection`.
        """
        return nearest_many(self._table, self.length, np.asarray(positions, dtype=np.float64))

    def point_at(self, arc_length: ArrayLike) -> FloatArray:
        """Point(s) of the centre line, (..., 2), at any arc lengths (...), taken modulo a lap."""
        index, along = self._locate(arc_length)
        row = self._table[index]
        return np.asarray(row[..., 0:2] + (along / row[..., 4])[..., None] * row[..., 2:4])

    def heading_at(self, arc_length: ArrayLike) -> FloatArray:
        """Heading(s) of travel in [-pi, pi), (...), at any arc lengths (...)."""
        index, along = self._locate(arc_length)
        row = self._table[index]
        return wrap_angle(row[..., 6] + along / row[..., 4] * row[..., 7])

    def curvature_at(self, arc_length: ArrayLike) -> FloatArray:
        """Curvature(s), (...), left positive, at any arc lengths (...)."""
        index, along = self._locate(arc_length)
        row = self._table[index]
        return np.asarray(row[..., 8] + along / row[..., 4] * row[..., 9])[()]

    def boundaries(self) -> tuple[FloatArray, FloatArray]:
        """Left and right edge of the road, one point for each of the centre line's: two (n, 2)."""
        normals = np.column_stack([-np.sin(self.headings), np.cos(self.headings)])
        return self.points + self.half_width * normals, self.points - self.half_width * normals

    def _locate(self, arc_length: ArrayLike) -> tuple[NDArray[np.int64], FloatArray]:
        """Segment, and distance from its first point, of arc lengths."""
        s = np.mod(np.asarray(arc_length, dtype=np.float64), self.length)
        index = np.searchsorted(self.arc_lengths, s, side="right") - 1
        return index, np.asarray(s - self.arc_lengths[index])


class LapProgress:
    """Unwrapped progress along a track, and how much of the track was passed over.

    The car is followed from call to call, so neither reversing, nor crossing the start line to and
    fro, nor a road that comes close to itself fools it. A car that has left its road and comes back
    on another part of it is found there, and credited (or debited) the shorter way round.

    Attributes:
        distance: World units driven along the centre line since the start.
        covered: For each segment whether the car has passed it on the road, (n,).
    """

    def __init__(self, track: Track, start: float = 0.0) -> None:
        """Begin at the arc length `start`."""
        self.track = track
        self.distance = 0.0
        self.covered: NDArray[np.bool_] = np.zeros(len(track.points), dtype=np.bool_)
        self._arc_length = start
        self._segment: int | None = None

    @property
    def progress(self) -> float:
        """Laps driven since the start: 1.0 is one lap, negative is backwards."""
        return self.distance / self.track.length

    @property
    def coverage(self) -> float:
        """Share of the segments passed on the road, 0 to 1."""
        return float(self.covered.mean())

    def update(self, position: Position) -> Projection:
        """Follow the car to its new position, (2,), and say where on the track that is."""
        track = self.track
        here = track.project(position, near=self._arc_length)
        rejoined = False
        if abs(here.lateral_error) > 2.0 * track.half_width:
            anywhere = track.project(position)
            rejoined = abs(anywhere.lateral_error) <= track.half_width
            here = anywhere if rejoined else here
        half = 0.5 * track.length
        self.distance += (here.arc_length - self._arc_length + half) % track.length - half
        self._arc_length = here.arc_length
        self._cover(here, rejoined)
        return here

    def _cover(self, here: Projection, rejoined: bool) -> None:
        """Mark the segments between the last position on the road and this one."""
        if abs(here.lateral_error) > self.track.half_width:
            self._segment = None
            return
        if self._segment is None or rejoined:
            self._segment = here.segment
        n = len(self.covered)
        step = (here.segment - self._segment + n // 2) % n - n // 2
        first = min(self._segment, self._segment + step)
        for index in range(first, first + abs(step) + 1):
            self.covered[index % n] = True
        self._segment = here.segment


def wrap_angle(angle: ArrayLike) -> FloatArray:
    """Angle(s) brought to [-pi, pi)."""
    return (np.asarray(angle, dtype=np.float64) + np.pi) % (2.0 * np.pi) - np.pi


def _headings(vectors: FloatArray, lengths: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Turning angle and heading at each point; the heading is that of the circle through three."""
    directions = np.arctan2(vectors[:, 1], vectors[:, 0])
    before = np.roll(directions, 1)
    turns = wrap_angle(directions - before)
    share = np.roll(lengths, 1) / (np.roll(lengths, 1) + lengths)
    return turns, wrap_angle(before + share * turns)


def _curvature(
    turns: FloatArray, arc_lengths: FloatArray, length: float, spread: float
) -> FloatArray:
    """Turning angles as impulses along the lap, convolved with a periodic Gaussian."""
    half = 0.5 * length
    gaps = (arc_lengths[:, None] - arc_lengths[None, :] + half) % length - half
    # Beyond the antipode the next images count too: a short track is smoothed over several laps.
    images = np.arange(-np.ceil(6 * spread / length), np.ceil(6 * spread / length) + 1)
    kernel = sum(np.exp(-0.5 * ((gaps + k * length) / spread) ** 2) for k in images)
    return np.asarray(kernel @ turns / (spread * np.sqrt(2.0 * np.pi)))
