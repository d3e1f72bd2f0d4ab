"""Which laps' drivers are asked where they look, and how."""

from dataclasses import dataclass, field
from typing import Annotated

import tyro

from evaluation.inspection.config import LapsConfig
from evaluation.inspection.saliency.lens import Lens
from maps.limits import Count, Within
from policies.clone_config import MOST_SAMPLES


@dataclass(frozen=True)
class SaliencyConfig(LapsConfig):
    """Which laps' drivers are asked where they look, and how.

    Attributes:
        lens: Which map of saliency.
        samples: Monte Carlo passes whose mean action is explained; a driver's own number by
            default.
        step: Whose picture Figure 8 D shows; the middle of the first lap by default.
        scored_steps: Steps of each lap that the scores are taken from, evenly spaced.
        video: Whether to write the video of each lap.
    """

    lens: tyro.conf.OmitArgPrefixes[Lens] = field(default_factory=Lens)
    samples: Annotated[int, Within(1, MOST_SAMPLES)] | None = None
    step: int | None = None
    scored_steps: Count = 30
    video: bool = True
