"""What is measured of shared laps, with intervals over seeds and tracks."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.comparison.intervals import clustered_wilson, crossed_bootstrap, design_effect
from evaluation.metrics import REGISTRY
from evaluation.perturbations import CLEAN, Perturbed
from evaluation.side_by_side.shared_laps import SharedLaps
from evaluation.statistics import Interval, Statistic, iqm, paired_shares, worst_decile

Against = Literal["reference", "clean"]
"""What laps are compared with: those of the first policy, or the policy's own clean ones."""


@dataclass(frozen=True)
class Measure:
    """A number of the laps of a policy under a condition.

    Attributes:
        name: Unique.
        title: How tables and axes call it.
        metric: Column of the laps.
        statistic: Of the metric over the laps; None for the share of a flag.
    """

    name: str
    title: str
    metric: str
    statistic: Statistic | None = None

    @property
    def percent(self) -> bool:
        """Whether it is shown in per cent."""
        return self.statistic is None

    def of(
        self, laps: SharedLaps, policy: str, condition: Perturbed, rng: np.random.Generator
    ) -> Interval:
        """Its value with the interval; NaN where there are no laps."""
        values = laps.values(policy, condition, self.metric)
        if self.statistic is None:
            return clustered_wilson(values)
        return crossed_bootstrap(values, rng, self.statistic)


SUCCESS = Measure("success", REGISTRY["success"].label, "success")
RETURN = Measure("return", "Mean return", "return", np.mean)
MEASURES = (
    SUCCESS,
    Measure("completed", REGISTRY["completed"].label, "completed"),
    Measure("clean_lap", "Completed, never off the road", "clean_lap"),
    RETURN,
    Measure("return_iqm", "Return, interquartile mean", "return", iqm),
    Measure("return_worst", "Return, worst tenth of the laps", "return", worst_decile),
    Measure("off_road", "Share of steps with a wheel off the road", "off_road_share", np.mean),
)
"""In the order of tables."""


def difference(
    laps: SharedLaps,
    policy: str,
    condition: Perturbed,
    measure: Measure,
    against: Against,
    rng: np.random.Generator,
) -> Interval:
    """Mean of what a policy's laps have more than others', lap by lap; NaN without pairs.

    Args:
        laps: All.
        policy: Whose laps.
        condition: Under which.
        measure: Which; its metric is compared, as a share or a mean.
        against: Laps of the first policy under the same condition, or own clean laps.
        rng: Draws the resamples.
    """
    other = (laps.policies[0], condition) if against == "reference" else (policy, CLEAN)
    before, now = laps.pairs(other, (policy, condition), measure.metric)
    if measure.percent:
        gap = now - before
        return paired_shares(before, now, design_effect(gap) if gap.size else 1.0)
    return crossed_bootstrap(now - before, rng)
