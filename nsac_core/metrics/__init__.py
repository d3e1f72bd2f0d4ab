"""Scores of a prediction against targets; every one reads the same Gaussian.

All take a ``Prediction`` and targets ``(batch, out)``, refuse any other shape and empty batches
with a ``ValueError``, work in float64, and treat every value alike unless they say that they score
rows. The standard deviation is the total one, aleatoric plus epistemic, unless ``by`` says
otherwise. A NaN in what a score reads makes it NaN: a model that has diverged never counts as
merely wrong.
"""

from collections.abc import Callable

from torch import Tensor

from nsac_core.methods.protocol import Prediction
from nsac_core.metrics.accuracy import mae, mse
from nsac_core.metrics.calibration import calibration_curve, ece, ece_paper
from nsac_core.metrics.gaussian import Part
from nsac_core.metrics.intervals import interval_coverage, interval_width, sharpness
from nsac_core.metrics.likelihood import crps, nll
from nsac_core.metrics.ranking import auroc, error_rank_correlation, ood_auroc, ranking_auroc
from nsac_core.metrics.selection import aurc, risk_coverage

METRICS: dict[str, Callable[[Prediction, Tensor], float]] = {
    "mse": mse,
    "mae": mae,
    "nll": nll,
    "crps": crps,
    "ece": ece,
    "ece_paper": ece_paper,
    "auroc": auroc,
    "coverage_90": interval_coverage,
    "width_90": interval_width,
    "sharpness": sharpness,
    "aurc": aurc,
    "rank_correlation": error_rank_correlation,
}
"""The scores that are one number, by name, in the order of a table."""

__all__ = [
    "METRICS",
    "Part",
    "aurc",
    "auroc",
    "calibration_curve",
    "crps",
    "ece",
    "ece_paper",
    "error_rank_correlation",
    "interval_coverage",
    "interval_width",
    "mae",
    "mse",
    "nll",
    "ood_auroc",
    "ranking_auroc",
    "risk_coverage",
    "sharpness",
]
