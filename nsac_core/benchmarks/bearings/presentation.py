"""How a run on bearings is shown: errors and doubt from rig to rig, and the paper's Figure 5."""

import math

import pandas as pd

from nsac_core import metrics
from nsac_core.benchmarks.bearings.figure import lives
from nsac_core.benchmarks.cells import prediction_of
from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.experiment import Picture, Presentation, Run
from nsac_core.benchmarks.sheets import Field, Number, Sheet, with_best

PARTS = {
    "xjtu": "XJTU-SY",
    "pronostia": "PRONOSTIA 2_1",
    "pronostia_1_3": "PRONOSTIA 1_3",
    "hust": "HUST 1",
}
"""Test parts in the order of tables, as they are called there."""


def transfer(run: Run) -> Sheet:
    """Squared error from part to part, between validation and the last rig."""
    models = list(dict.fromkeys(run.scores["model"]))
    validation = run.scores[run.scores["part"] == "xjtu"]
    columns = [[_number(validation, model, "validation_mse") for model in models]]
    columns += [[_number(_of(run, part), model, "mse") for model in models] for part in PARTS]
    return Sheet(
        "transfer",
        "Squared error on rows of the training bearings that validate, on the test bearing of the "
        "same rig, and on other rigs.",
        ["method", "validation", *PARTS.values()],
        _rows(models, [with_best(column, "low") for column in columns]),
    )


def doubt(run: Run) -> Sheet:
    """Whether a method notices that it is on another rig."""
    models = list(dict.fromkeys(run.scores["model"]))
    head, columns = ["method"], []
    for part, name in PARTS.items():
        head.append(f"90 % coverage, {name}")
        numbers = [_number(_of(run, part), model, "coverage_90") for model in models]
        columns.append(with_best(numbers, 0.9))
    for part in list(PARTS)[1:]:
        head.append(f"told from XJTU-SY, {PARTS[part]}")
        found = [_told_apart(run.predictions, model, part) for model in models]
        columns.append(with_best(found, "high"))
    return Sheet(
        "doubt",
        "Share of targets in the central 90 % intervals, and the area under the ROC curve of the "
        "epistemic variance for a row being of another rig and not of the test bearing of XJTU-SY.",
        head,
        _rows(models, columns),
    )


def _figures(run: Run) -> dict[str, Picture]:
    words = "labels, means and two standard deviations over the life of each test bearing"
    return {"lives": (lives(run, PARTS), words)}


def _sheets(run: Run) -> list[Sheet]:
    return [transfer(run), doubt(run)]


def _of(run: Run, part: str) -> pd.DataFrame:
    return run.scores[run.scores["part"] == part]


def _number(scores: pd.DataFrame, model: str, name: str) -> Number:
    if name not in scores:
        return Number(math.nan)
    return Number.of(scores.loc[scores["model"] == model, name].astype(float).tolist())


def _told_apart(predictions: pd.DataFrame, model: str, part: str) -> Number:
    rows = predictions[(predictions["model"] == model) & (predictions["sigma"] == 0)]
    values = []
    for _, cell in rows.groupby("seed"):
        inside, outside = (prediction_of(cell[cell["part"] == name])[0] for name in ("xjtu", part))
        values.append(metrics.ood_auroc(inside, outside, by="epistemic"))
    return Number.of(values, 3)


def _rows(models: list[str], columns: list[list[Number]]) -> list[list[Field]]:
    return [[title(model), *numbers] for model, *numbers in zip(models, *columns, strict=True)]


PRESENTATIONS = {
    "bearings": Presentation(
        main="xjtu",
        published={"xjtu": "xjtu", "pronostia": "pronostia", "hust": "hust"},
        target="the degradation, XJTU-SY",
        sheets=_sheets,
        figures=_figures,
    ),
    "synthetic_bearings": Presentation(
        main="xjtu",
        target="the degradation, simulated bearing",
        sheets=_sheets,
        figures=_figures,
    ),
}
