"""How a forecasting run is shown besides the usual: in the target's own unit, and Figure 4."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.experiment import Picture, Run
from nsac_core.benchmarks.forecasting.figure import forecasts
from nsac_core.benchmarks.sheets import Direction, Field, Number, Sheet, with_best

_LEADS = (1, 4, 8, 16, 24)
"""Steps ahead of which the error is told."""

_OWN_UNIT: dict[str, tuple[str, Direction]] = {
    "rmse": ("RMSE / °C", "low"),
    "against": ("MSE against persistence / %", "low"),
    "mae": ("MAE / °C", "low"),
    "nll": ("NLL", "low"),
    "crps": ("CRPS / °C", "low"),
    "width_90": ("90 % width / °C", None),
}


def sheets(run: Run) -> list[Sheet]:
    """Scores in degrees, the error by how far ahead, and what is known of the data."""
    return [_own_unit(run), _by_lead(run), _data(run.settings)]


def figures(run: Run) -> dict[str, Picture]:
    """Figure 4: forecasts of three test windows."""
    words = "forecasts of three stretches of the test part by each method, with two sigma"
    return {"forecasts": (forecasts(run), words)}


def in_degrees(scores: pd.DataFrame, unit: float) -> pd.DataFrame:
    """Scores in the target's own unit, and the error against that of persistence.

    Args:
        scores: In scaled units: ``model``, ``mse``, ``mae``, ``nll``, ``crps``, ``width_90``.
        unit: What a scaled 1 is.
    """
    found = scores[["model", "seed"]].copy()
    found["rmse"] = np.sqrt(scores["mse"]) * unit
    plain = scores[scores["model"] == "persistence"].set_index("seed")["mse"]
    found["against"] = 100 * (scores["mse"] / scores["seed"].map(plain) - 1)
    found["nll"] = scores["nll"] + np.log(unit)  # a density in degrees is that of 1 over the unit
    for name in ("mae", "crps", "width_90"):
        found[name] = scores[name] * unit
    return found


def _own_unit(run: Run) -> Sheet:
    scores = in_degrees(run.scores, _unit(run.settings))
    return Sheet(
        "degrees",
        "Scores in degrees Celsius, mean and standard deviation over the seeds; the best in bold.",
        ["method", *(label for label, _ in _OWN_UNIT.values())],
        _rows(scores, {name: direction for name, (_, direction) in _OWN_UNIT.items()}),
    )


def _by_lead(run: Run) -> Sheet:
    rows = run.predictions[run.predictions["sigma"] == 0]
    rows = rows[rows["output"].isin([lead - 1 for lead in _LEADS])]
    squares = rows.assign(square=np.square(rows["mean"] - rows["y"]))
    means = squares.groupby(["model", "seed", "output"])["square"].mean().unstack()
    errors = means.pow(0.5).mul(_unit(run.settings)).reset_index()
    found = run.scores[["model", "seed"]].merge(errors, on=["model", "seed"])
    hours = run.settings["hours"]
    return Sheet(
        "leads",
        "RMSE in degrees Celsius by how far ahead; the best in bold.",
        ["method", *(f"{lead * hours:.3g} h" for lead in _LEADS)],
        _rows(found, {lead - 1: "low" for lead in _LEADS}),
    )


def _data(settings: dict[str, Any]) -> Sheet:
    used, of_file = settings["faults"], settings["faults_of_the_file"]
    return Sheet(
        "data",
        "The data: their file, and what was wrong with it.",
        ["what", "value"],
        [
            ["file", str(settings["file"])],
            ["SHA-256", str(settings["sha256"])],
            ["rows taken", f"{settings['rows']}, {settings['begins']} to {settings['ends']}"],
            ["target", f"{settings['target']}, {settings['hours'] * 60:g} minutes a step"],
            ["range in training", f"{settings['low']:.2f} to {settings['high']:.2f}"],
            ["wrong in these rows", "; ".join(used) or "nothing"],
            ["wrong in the file", "; ".join(of_file) or "nothing"],
            ["windows left out", str(settings["windows_left_out"])],
        ],
    )


def _rows(scores: pd.DataFrame, columns: dict[Any, Direction]) -> list[list[Field]]:
    models: Sequence[str] = list(scores["model"].drop_duplicates())
    numbers: list[list[Number]] = [
        with_best(
            [Number.of(scores.loc[scores["model"] == model, name].tolist(), 3) for model in models],
            direction,
        )
        for name, direction in columns.items()
    ]
    return [
        [title(model), *(column[row] for column in numbers)] for row, model in enumerate(models)
    ]


def _unit(settings: dict[str, Any]) -> float:
    return float(settings["high"] - settings["low"])
