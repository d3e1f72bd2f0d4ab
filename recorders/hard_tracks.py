"""Tracks on which stretches of road lie side by side: a car that runs wide sees two to follow."""

import numpy as np

import maps
from drive.track import Track
from recorders.hard_tracks_config import HardTracks

NEAR = 30.0
"""World units between the middles of two roads that are in sight together; a road is 13 wide."""
APART = 70.0
"""World units along the road from which on a stretch is another one, and not the same bend."""
SPACING = 3.0


def chosen(hard: HardTracks, number: int) -> list[str]:
    """The maps of a round, those with most road beside other road first."""
    first = hard.first_seed + (number - 1) * hard.candidates
    names = [f"seed:{first + i}" for i in range(hard.candidates)]
    doubled = [doubled_road(_track(name)) for name in names]
    order = np.argsort(-np.array(doubled), kind="stable")
    return [names[i] for i in order[: hard.tracks]]


def doubled_road(track: Track) -> float:
    """Length of the road from whose middle another stretch is nearer than ``NEAR``, world units."""
    stations = np.arange(0.0, track.length, SPACING)
    points = track.point_at(stations)
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    along = np.abs(stations[:, None] - stations)
    along = np.minimum(along, track.length - along)
    doubled = ((distance < NEAR) & (along > APART)).any(axis=1)
    return float(SPACING * doubled.sum())


def _track(name: str) -> Track:
    found = maps.load(name)
    return Track(found.centre_line, found.half_width)
