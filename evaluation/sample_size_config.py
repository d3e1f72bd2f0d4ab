"""Two policies, and how surely they are to be told apart."""

from dataclasses import dataclass
from typing import Annotated

import tyro

from evaluation.confidence import CONFIDENCE
from maps.limits import Within

POWER = 0.8


@dataclass(frozen=True)
class LapsNeededConfig:
    """Two policies, and how surely they are to be told apart.

    Attributes:
        first: Share of laps that the one policy succeeds on, between 0 and 1.
        second: That of the other.
        power: Chance of finding the difference where it is there.
        confidence: One minus the chance of finding one where there is none; two-sided.
        correlation: Between the outcomes of the two policies on one and the same lap; 0.3 where
            some tracks are hard for both.
    """

    first: Annotated[float, tyro.conf.Positional]
    second: Annotated[float, tyro.conf.Positional]
    power: float = POWER
    confidence: float = CONFIDENCE
    correlation: Annotated[float, Within(-1, 1)] = 0.3
