"""The six maps of our own: polygons with rounded corners. `python -m maps.drawings` writes them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maps.shaping import SPACING, resample, smooth
from maps.track_map import HALF_WIDTH, TrackMap

FloatArray = NDArray[np.float64]
Corner = tuple[float, float, float]


@dataclass(frozen=True)
class Drawing:
    """A polygon in driving direction; the car starts half-way along its first edge.

    Attributes:
        corners: x, y and the radius of the bend there (world units).
        note: What the map is for.
    """

    corners: tuple[Corner, ...]
    note: str


DRAWINGS = {
    "oval": Drawing(
        ((-200, -80, 78), (200, -80, 78), (200, 80, 78), (-200, 80, 78)),
        "two straights and two wide bends",
    ),
    "hairpins": Drawing(
        (
            *((-170, -90, 40), (110, -100, 20), (120, -58, 20), (-80, -48, 18)),
            *((-80, -10, 18), (130, 0, 20), (130, 42, 20), (0, 60, 40), (-170, 80, 40)),
        ),
        "three hairpins, one of them to the right",
    ),
    "chicane": Drawing(
        (
            *((-135, -95, 1), (-50, -95, 18), (-25, -60, 18), (30, -60, 18)),
            *((55, -95, 18), (180, -95, 50), (180, 95, 50), (70, 95, 18)),
            *((35, 55, 18), (-20, 55, 18), (-55, 95, 18), (-190, 95, 50), (-190, -95, 50)),
        ),
        "quick changes of direction between straights",
    ),
    "sweeps": Drawing(
        (
            *((-200, 50, 64), (-80, 150, 70), (50, 90, 70), (190, 150, 70)),
            *((225, -50, 70), (90, -30, 64), (0, -150, 70), (-185, -135, 70)),
        ),
        "fast, wide bends, driven clockwise",
    ),
    "long": Drawing(
        (
            *((-190, -170, 38), (50, -170, 30), (80, -110, 30), (195, -140, 34)),
            *((190, 45, 30), (95, 30, 24), (80, 140, 30), (-15, 160, 30)),
            *((-45, 20, 24), (-125, 30, 30), (-200, 110, 30)),
        ),
        "a long lap of every kind of bend",
    ),
    "short": Drawing(
        ((-90, -60, 30), (80, -60, 30), (90, 40, 30), (0, 10, 30), (-70, 70, 26)),
        "a short lap with one bend to the right",
    ),
}


def draw(name: str) -> TrackMap:
    """One of the `DRAWINGS` as a map."""
    drawing = DRAWINGS[name]
    corners = np.array(drawing.corners, dtype=np.float64)
    rounded = round_corners(corners[:, :2], corners[:, 2])
    # Eased a little, so that steering need not jump where a straight meets a bend.
    line = smooth(resample(rounded), 1.5 * SPACING)
    return TrackMap(name, f"drawn for nsac-drive: {drawing.note}", HALF_WIDTH, line)


def round_corners(corners: FloatArray, radii: FloatArray) -> FloatArray:
    """A closed line of straights and arcs, from the middle of a polygon's first edge.

    Args:
        corners: (k, 2).
        radii: Of the arc at each corner, (k,).

    Returns:
        (n, 2), arcs in steps of at most one degree, a point on either end of each straight.

    Raises:
        ValueError: When two arcs meet on an edge that is too short for both.
    """
    before, after = np.roll(corners, 1, axis=0) - corners, np.roll(corners, -1, axis=0) - corners
    edges = np.hypot(*after.T)
    incoming = -before / np.hypot(*before.T)[:, None]
    outgoing = after / edges[:, None]
    turns = np.arctan2(
        incoming[:, 0] * outgoing[:, 1] - incoming[:, 1] * outgoing[:, 0],
        (incoming * outgoing).sum(axis=1),
    )
    tangents = radii * np.tan(np.abs(turns) / 2)
    short = tangents + np.roll(tangents, -1) > edges + 1e-9
    if short.any():
        raise ValueError(f"the edge after corner {int(short.argmax())} is too short for its arcs")
    parts = [(corners[0] + corners[1])[None, :] / 2]
    for k in [*range(1, len(corners)), 0]:
        first = corners[k] - tangents[k] * incoming[k]
        side = np.sign(turns[k]) * np.array([-incoming[k, 1], incoming[k, 0]])
        angles = np.linspace(0.0, abs(turns[k]), 2 + int(np.degrees(abs(turns[k]))))[:, None]
        arc = np.sin(angles) * incoming[k] + (1.0 - np.cos(angles)) * side
        parts.append(first + radii[k] * arc)
    return np.concatenate(parts)


if __name__ == "__main__":
    from maps.store import save

    for each in DRAWINGS:
        save(draw(each), Path(__file__).with_name(f"{each}.json"))
