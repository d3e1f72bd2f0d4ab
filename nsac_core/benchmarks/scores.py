"""From predictions to scores: one row a cell, and one a cell and size of perturbation."""

from typing import Any

import pandas as pd

from nsac_core import metrics
from nsac_core.benchmarks.cells import prediction_of

KEYS = ["model", "seed"]


def score(predictions: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """Every metric of every cell on the test rows as they are, and the cell's facts.

    Args:
        predictions: ``model, seed, sigma, row, output, y, mean, aleatoric, epistemic``.
        facts: ``model, seed`` and what training came to.
    """
    as_they_are = predictions[predictions["sigma"] == 0]
    records: list[dict[str, Any]] = []
    for (model, seed), rows in as_they_are.groupby(KEYS, sort=False):
        prediction, y = prediction_of(rows)
        values = {name: metric(prediction, y) for name, metric in metrics.METRICS.items()}
        records.append({"model": model, "seed": seed, **values})
    return pd.DataFrame(records).merge(facts, on=KEYS, how="left")


def separate(predictions: pd.DataFrame) -> pd.DataFrame:
    """How well uncertainty tells perturbed test rows from those as they are.

    Args:
        predictions: As for ``score``.

    Returns:
        ``model, seed, sigma``; the mean epistemic variance of the rows as they are
        (``epistemic_id``) and perturbed (``epistemic_ood``), their ``ratio`` (NaN where the first
        is 0), and the area under the ROC curve of the epistemic (``auroc_epistemic``) and of the
        total variance (``auroc_total``) for being perturbed.
    """
    records: list[dict[str, Any]] = []
    for (model, seed), rows in predictions.groupby(KEYS, sort=False):
        inside, _ = prediction_of(rows[rows["sigma"] == 0])
        within = float(inside.epistemic.double().mean())
        for sigma, strange in rows[rows["sigma"] > 0].groupby("sigma"):
            outside, _ = prediction_of(strange)
            beyond = float(outside.epistemic.double().mean())
            record = {"model": model, "seed": seed, "sigma": sigma}
            record |= {"epistemic_id": within, "epistemic_ood": beyond}
            record["ratio"] = beyond / within if within > 0 else float("nan")
            for part in ("epistemic", "total"):
                record[f"auroc_{part}"] = metrics.ood_auroc(inside, outside, by=part)
            records.append(record)
    return pd.DataFrame(records)
