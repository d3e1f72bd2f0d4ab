"""One track as a value, and what makes a track well formed."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maps.files.one_line_error import OneLineError

PLAYFIELD = 2000 / 6  # gymnasium ends an episode where |x| or |y| passes this
HALF_WIDTH = 40 / 6  # of gymnasium's road, in world units
MINIMUM_POINTS = 16
MAXIMUM_POINTS = 5000  # ten times those of a long lap; to look for crossings takes seconds then

_ROWS = 256


class MapError(OneLineError):
    """A map that cannot be used; the message is one line that names the map and its fault."""


@dataclass(frozen=True, eq=False)
class TrackMap:
    """A closed track.

    Attributes:
        name: What it is called.
        origin: Where it comes from, in words.
        half_width: Half the width of the road (world units).
        centre_line: (n, 2) float64, world units, closed: the first point is not repeated. It runs
            in driving direction, and the car starts at index 0.
        seed: The gymnasium seed that makes this track; None for any other map.

    Raises:
        MapError: When made from values that `check` refuses.
    """

    name: str
    origin: str
    half_width: float
    centre_line: NDArray[np.float64]
    seed: int | None = None

    def __post_init__(self) -> None:
        """Tracks that gymnasium makes are taken as they are; any other has to be well formed."""
        if self.seed is None:
            fault = find_fault(self)
            if fault:
                raise MapError(f"map {self.name}: {fault}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TrackMap):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str, float, bytes, int | None]:
        return self.name, self.origin, self.half_width, self.centre_line.tobytes(), self.seed

    @property
    def sha256(self) -> str:
        """Of the road alone, hexadecimal digits: the name and the origin may change."""
        content = self.centre_line.tobytes() + repr(self.half_width).encode()
        return hashlib.sha256(content).hexdigest()

    @property
    def length(self) -> float:
        """Of one lap along the centre line (world units)."""
        return float(steps(self.centre_line).sum())


def steps(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances from each point of a closed line (n, 2) to the next, (n,)."""
    forward = np.roll(line, -1, axis=0) - line
    return np.hypot(forward[:, 0], forward[:, 1])


def find_fault(track: TrackMap) -> str | None:
    """What is wrong with a map, in words; None where it is well formed."""
    if not (np.isfinite(track.half_width) and track.half_width > 0):
        return f"half_width must be a positive number, not {track.half_width}"
    line = track.centre_line
    if line.ndim != 2 or line.shape[1] != 2:
        return f"centre_line must be a list of [x, y] pairs, not of shape {line.shape}"
    if len(line) < MINIMUM_POINTS:
        return f"centre_line has {len(line)} points, at least {MINIMUM_POINTS} are needed"
    if len(line) > MAXIMUM_POINTS:
        return f"centre_line has {len(line)} points, at most {MAXIMUM_POINTS} are allowed"
    checks: tuple[Callable[[TrackMap], str | None], ...] = (_finite, _inside, _spaced, _closed)
    for check in (*checks, _uncrossed):
        fault = check(track)
        if fault:
            return fault
    return None


def _finite(track: TrackMap) -> str | None:
    bad = ~np.isfinite(track.centre_line).all(axis=1)
    return f"centre_line point {int(bad.argmax())} is not finite" if bad.any() else None


def _spaced(track: TrackMap) -> str | None:
    close = steps(track.centre_line) < 1e-6
    if close[-1]:
        return "the last point of centre_line repeats the first; leave it out, the line is closed"
    index = int(close.argmax())
    return f"points {index} and {index + 1} of centre_line are equal" if close.any() else None


def _closed(track: TrackMap) -> str | None:
    """A lap whose last point lies far from its first was cut short, or has been written open."""
    gaps = steps(track.centre_line)
    if gaps[-1] <= 3.0 * gaps[:-1].max():
        return None
    return (
        f"centre_line is not closed: {gaps[-1]:.1f} from its last point to its first, "
        f"at most {gaps[:-1].max():.1f} between any others"
    )


def _inside(track: TrackMap) -> str | None:
    reach = np.abs(track.centre_line).max(axis=1) + track.half_width
    if reach.max() < PLAYFIELD:
        return None
    x, y = track.centre_line[reach.argmax()]
    return (
        f"the road leaves the playfield at ({x:.1f}, {y:.1f}): "
        f"|x| and |y| stay below {PLAYFIELD - track.half_width:.1f}"
    )


def _uncrossed(track: TrackMap) -> str | None:
    crossing = find_crossing(track.centre_line)
    if crossing is None:
        return None
    i, j = crossing
    x, y = track.centre_line[i]
    return f"centre_line crosses itself near ({x:.1f}, {y:.1f}), segments {i} and {j}"


def find_crossing(line: NDArray[np.float64]) -> tuple[int, int] | None:
    """The first two segments of a closed line (n, 2) that meet without being neighbours, if any."""
    n = len(line)
    low, high = (f(line, np.roll(line, -1, axis=0)).T for f in (np.minimum, np.maximum))
    for first in range(0, n, _ROWS):  # all pairs at once would fill the memory
        own = slice(first, min(first + _ROWS, n))
        near = np.ones((own.stop - first, n), dtype=bool)
        for bottom, top in zip(low, high, strict=True):  # of the boxes around the segments
            near &= (bottom[own, None] <= top) & (bottom <= top[own, None])
        i, j = np.nonzero(near)
        i += first
        apart = np.abs(i - j)
        kept = (apart > 1) & (apart < n - 1)
        i, j = i[kept], j[kept]
        meet = np.flatnonzero(_split(line, i, j) & _split(line, j, i))
        if len(meet):
            return int(i[meet[0]]), int(j[meet[0]])
    return None


def _split(
    line: NDArray[np.float64], i: NDArray[np.int64], j: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether the ends of each segment j lie on different sides of the line through segment i."""
    end = np.roll(line, -1, axis=0)
    along = end[i] - line[i]
    sides = []
    for points in (line, end):
        to = points[j] - line[i]
        sides.append(np.sign(along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0]))
    return np.asarray(sides[0] * sides[1] <= 0)
