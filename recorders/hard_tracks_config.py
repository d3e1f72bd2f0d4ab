"""Rounds of correction on hard tracks."""

from dataclasses import dataclass
from typing import Annotated

from maps.limits import Count, Positive, Within

Many = Annotated[int, Within(1, 1_000_000)]


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
    candidates: Many = 1000
    tracks: Many = 40
    laps: Many = 1
    epochs: Count = 2
    learning_rate: Positive = 5e-4
    first_seed: int = 40_000
