"""What is measured of shared laps, with intervals over seeds and tracks."""

import math
from collections.abc import Sequence
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

UNKNOWN = Interval(math.nan, math.nan, math.nan)


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


def mean(laps: SharedLaps, policy: str, conditions: Sequence[Perturbed], measure: Measure) -> float:
    """Mean of a measure's metric over conditions, each alike; NaN where one was not driven."""
    found = [laps.of(policy, condition)[measure.metric].astype(float) for condition in conditions]
    return float(np.mean([own.mean() for own in found]))


def difference(
    laps: SharedLaps,
    policy: str,
    conditions: Sequence[Perturbed],
    measure: Measure,
    against: Against,
    rng: np.random.Generator,
) -> Interval:
    """Mean of what a policy's laps have more than others', lap by lap; NaN without pairs.

    Args:
        laps: All.
        policy: Whose laps.
        conditions: Under which; of several, the mean counts.
        measure: Which; its metric is compared, as a share or a mean.
        against: Laps of the first policy under the same condition, or own clean laps.
        rng: Draws the resamples.
    """
    pairs = []
    for condition in conditions:
        other = (laps.policies[0], condition) if against == "reference" else (policy, CLEAN)
        pairs.append(laps.pairs(other, (policy, condition), measure.metric))
    if len(pairs) == 1 and measure.percent:
        before, now = pairs[0]
        return paired_shares(before, now, design_effect(now - before) if now.size else 1.0)
    gaps = [now - before for before, now in pairs]
    if len({gap.shape for gap in gaps}) > 1:  # severities on other tracks
        return UNKNOWN
    return crossed_bootstrap(np.mean(gaps, axis=0), rng)
