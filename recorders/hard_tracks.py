"""Tracks on which stretches of road lie side by side: a car that runs wide sees two to follow."""

from dataclasses import dataclass

import numpy as np

import maps
from drive.track import Track

NEAR = 30.0
"""World units between the middles of two roads that are in sight together; a road is 13 wide."""
APART = 70.0
"""World units along the road from which on a stretch is another one, and not the same bend."""
SPACING = 3.0


@dataclass(frozen=True)
class HardTracks:
    """Rounds of DAgger on tracks where one stretch of road is easily taken for another.

    On gymnasium's tracks that is what a good policy fails at: of 400 it lost 5, all of them among
    the 40 whose stretches come closest. They are rare, so few of its recordings show any.

    Attributes:
        rounds: How many.
        candidates: Tracks of which those with most road beside other road are taken, in each round.
        tracks: How many are taken.
        laps: Times that each of them is recorded, with other turns of the expert.
        epochs: Passes over all data after each round, from the last weights.
        learning_rate: Of these passes; falls along a cosine each time.
        first_seed: First seed of the candidates of round 1; each round has candidates of its own.
    """

    rounds: int = 0
    candidates: int = 1000
    tracks: int = 40
    laps: int = 1
    epochs: int = 2
    learning_rate: float = 5e-4
    first_seed: int = 40_000

    def chosen(self, number: int) -> list[str]:
        """The maps of a round, those with most road beside other road first."""
        first = self.first_seed + (number - 1) * self.candidates
        names = [f"seed:{first + i}" for i in range(self.candidates)]
        doubled = [doubled_road(_track(name)) for name in names]
        order = np.argsort(-np.array(doubled), kind="stable")
        return [names[i] for i in order[: self.tracks]]


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
