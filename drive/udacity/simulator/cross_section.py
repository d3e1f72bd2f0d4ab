"""What lies across the road: lines, kerbs, shoulders, the bridge; and which of it is where."""

import numpy as np
from numpy.typing import NDArray

from drive.track import FloatArray
from drive.udacity.simulator.courses import HALF_WIDTH, Course
from drive.udacity.simulator.land import PROFILE_REACH, PROFILE_STEP
from drive.udacity.simulator.looks import Look, Rgb

KERB = 1.1
STRIPE = 1.1
"""Length of a red and a white stripe together, metres."""
RED, WHITE = (222, 104, 92), (236, 226, 210)
BRICK, WALL = (150, 126, 112), (16, 16, 18)
TAPERS = 4
PLAIN, BRIDGE, DASHED, FIRST_KERB = 1, 2, 3, 4
DASH, DASHES_APART = 3, 9  # metres


def cross_sections(look: Look) -> NDArray[np.float32]:
    """All kinds of cross-section, integrated as `Land.profiles` wants them, (kinds, steps, 4).

    Kind 1 is plain, 2 the bridge, 3 has a dash in its middle; then a pair, red and white, for
    each width of the kerb.
    """
    plain = _plain(look)
    dashed = plain.copy()
    _band(dashed, -0.09, 0.09, look.line)
    kinds = [plain, plain, _bridge(), dashed]
    for taper in range(1, TAPERS + 1):
        for colour in (RED, WHITE):
            kerb = plain.copy()
            _band(kerb, HALF_WIDTH, HALF_WIDTH + KERB * taper / TAPERS, colour)
            _band(kerb, -HALF_WIDTH - KERB * taper / TAPERS, -HALF_WIDTH, colour)
            kinds.append(kerb)
    table = np.array(kinds)
    table[..., :3] *= table[..., 3:]
    integral = np.cumsum(table, axis=1) * PROFILE_STEP
    return np.asarray(np.pad(integral, ((0, 0), (1, 0), (0, 0))), dtype=np.float32)


def sides(course: Course, look: Look) -> NDArray[np.int64]:
    """Kind of cross-section at each metre of the lap, left and right, (2, metres)."""
    track = course.track
    arcs = np.arange(int(track.length) + 1.0)
    kinds = np.full((2, len(arcs)), PLAIN)
    if look.centre_line:
        kinds[:, arcs % DASHES_APART < DASH] = DASHED
    if course.kerb_radius:
        tight = np.abs(track.curvature_at(arcs)) > 1.0 / course.kerb_radius
        width = np.convolve(np.pad(tight, 4, mode="wrap"), np.ones(9) / 9, "valid")
        level = np.ceil(width * TAPERS - 1e-9).astype(int)
        kinds[:, level > 0] = -(FIRST_KERB + 2 * (level[level > 0] - 1))
    kinds[:, course.on_bridge(arcs)] = BRIDGE
    return kinds


def _plain(look: Look) -> FloatArray:
    profile = np.zeros((round(2 * PROFILE_REACH / PROFILE_STEP), 4))
    dark = _scaled(look.asphalt, 0.62)
    _band(profile, -HALF_WIDTH - 2.6, -HALF_WIDTH, look.shoulders[1])
    _band(profile, HALF_WIDTH, HALF_WIDTH + 2.6, look.shoulders[0])
    _band(profile, -HALF_WIDTH - 0.35, HALF_WIDTH + 0.35, dark)
    _band(profile, -HALF_WIDTH, HALF_WIDTH, look.line)
    _band(profile, -HALF_WIDTH + 0.16, HALF_WIDTH - 0.16, look.asphalt)
    return profile


def _bridge() -> FloatArray:
    profile = np.zeros((round(2 * PROFILE_REACH / PROFILE_STEP), 4))
    _band(profile, -HALF_WIDTH - 2.0, HALF_WIDTH + 2.0, WALL)
    _band(profile, -HALF_WIDTH - 0.1, HALF_WIDTH + 0.1, BRICK)
    return profile


def _band(profile: FloatArray, low: float, high: float, colour: Rgb) -> None:
    """Paints an opaque band between two offsets, metres."""
    first, last = (round((edge + PROFILE_REACH) / PROFILE_STEP) for edge in (low, high))
    profile[first:last] = (*colour, 1.0)


def _scaled(colour: Rgb, factor: float) -> Rgb:
    red, green, blue = (int(factor * value) for value in colour)
    return red, green, blue
