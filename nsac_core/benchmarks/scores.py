"""From predictions to scores: one row a cell, and one a cell and size of perturbation."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from nsac_core import metrics
from nsac_core.benchmarks.cells import prediction_of

KEYS = ["model", "seed"]
"""Of a cell."""


def score(predictions: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """Every metric of every cell and part on the test rows as they are, and the cell's facts.

    Args:
        predictions: ``model, seed, part, sigma, row, output, y, mean, aleatoric, epistemic``.
        facts: ``model, seed`` and what training came to.
    """
    as_they_are = predictions[predictions["sigma"] == 0]
    records: list[dict[str, Any]] = []
    for (model, seed, part), rows in as_they_are.groupby([*KEYS, "part"], sort=False):
        prediction, y = prediction_of(rows)
        values = {name: metric(prediction, y) for name, metric in metrics.METRICS.items()}
        records.append({"model": model, "seed": seed, "part": part, **values})
    return pd.DataFrame(records).merge(facts, on=KEYS, how="left")


def pooled(predictions: pd.DataFrame, pools: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Predictions with further parts, each the rows of several.

    Args:
        predictions: As for ``score``.
        pools: The parts that make up each further part.
    """
    further = [
        predictions[predictions["part"].isin(parts)].assign(part=name)
        for name, parts in pools.items()
    ]
    return pd.concat([predictions, *further], ignore_index=True) if further else predictions


def separate(predictions: pd.DataFrame) -> pd.DataFrame:
    """How well uncertainty tells perturbed test rows from those as they are.

    Args:
        predictions: As for ``score``.

    Returns:
        ``model, seed, part, sigma``; the mean epistemic variance of the rows as they are
        (``epistemic_id``) and perturbed (``epistemic_ood``), their ``ratio`` (NaN where the first
        is 0), and the area under the ROC curve of the epistemic (``auroc_epistemic``) and of the
        total variance (``auroc_total``) for being perturbed.
    """
    records: list[dict[str, Any]] = []
    for (model, seed, part), rows in predictions.groupby([*KEYS, "part"], sort=False):
        inside, _ = prediction_of(rows[rows["sigma"] == 0])
        within = float(inside.epistemic.double().mean())
        for sigma, strange in rows[rows["sigma"] > 0].groupby("sigma"):
            outside, _ = prediction_of(strange)
            beyond = float(outside.epistemic.double().mean())
            record = {"model": model, "seed": seed, "part": part, "sigma": sigma}
            record |= {"epistemic_id": within, "epistemic_ood": beyond}
            record["ratio"] = beyond / within if within > 0 else float("nan")
            for of in ("epistemic", "total"):
                record[f"auroc_{of}"] = metrics.ood_auroc(inside, outside, by=of)
            records.append(record)
    # A run without perturbations has no row, but its columns.
    return pd.DataFrame(records, columns=None if records else [*KEYS, "part", "sigma"])
