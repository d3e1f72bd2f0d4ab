"""Tables of the spiral: regimes, and what the regulariser does (the paper's Table 2)."""

import pandas as pd

from nsac_core.benchmarks.experiment import Run
from nsac_core.benchmarks.sheets import Field, Number, Sheet
from nsac_core.benchmarks.spiral.parts import EXTRAPOLATION, INTERPOLATION

REGIMES = (INTERPOLATION, EXTRAPOLATION)
WITH, WITHOUT = "nsac", "nsac_lambda_0"

_PUBLISHED = {
    (WITH, INTERPOLATION): "0.0002, 0.0143 / 0.0002, 0.0119",
    (WITHOUT, INTERPOLATION): "0.0002, 0.0117 / 0.0002, 0.0058",
    (WITH, EXTRAPOLATION): "0.0017, 0.0304 / 0.0018, 0.0300",
    (WITHOUT, EXTRAPOLATION): "0.0012, 0.0272 / 0.0012, 0.0237",
}
"""The paper's Table 2: MSE, MAE of its "aleatoric" and of its "epistemic" rows."""


def sheets(run: Run) -> list[Sheet]:
    """Table 2, where NSAC was trained with and without its regulariser."""
    models = [model for model in (WITH, WITHOUT) if (run.scores["model"] == model).any()]
    return [_decomposition(run, models)] if len(models) == 2 else []


def _decomposition(run: Run, models: list[str]) -> Sheet:
    rows: list[list[Field]] = []
    for regime in REGIMES:
        scores = run.scores[run.scores["part"] == regime]
        for model in models:
            own = scores[scores["model"] == model]
            numbers = [Number.of(own[name].tolist()) for name in ("mse", "mae")]
            rows.append(
                [
                    regime,
                    "0.5" if model == WITH else "0",
                    *numbers,
                    *_variances(run, model, regime),
                    _PUBLISHED[model, regime],
                ]
            )
    return Sheet(
        "decomposition",
        "NSAC with and without its regulariser, by regime: the error of the mean; mean predicted "
        "variances; how many times as large the epistemic one is where noise of standard deviation "
        "5 is added to the input; MSE, MAE in the paper's two kinds of rows (Table 2).",
        [
            "regime",
            "lambda",
            "MSE",
            "MAE",
            "aleatoric",
            "epistemic",
            "epistemic, perturbed over as it is",
            "in the paper",
        ],
        rows,
    )


def _variances(run: Run, model: str, regime: str) -> list[Number]:
    rows = run.predictions
    rows = rows[(rows["model"] == model) & (rows["part"] == regime)]
    as_it_is = rows[rows["sigma"] == 0].groupby("seed")[["aleatoric", "epistemic"]].mean()
    perturbed = rows[rows["sigma"] == rows["sigma"].max()].groupby("seed")["epistemic"].mean()
    columns: list[pd.Series[float]] = [
        as_it_is["aleatoric"],
        as_it_is["epistemic"],
        perturbed / as_it_is["epistemic"],
    ]
    return [Number.of(column.tolist(), -3) for column in columns]
