"""Scores, tables and the paper's numbers."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from matplotlib.figure import Figure

from nsac_core.benchmarks.cells import frame
from nsac_core.benchmarks.paper import data_sets, published
from nsac_core.benchmarks.report import save_figure
from nsac_core.benchmarks.scores import score, separate
from nsac_core.benchmarks.sheets import Number, Sheet, with_best
from nsac_core.benchmarks.tables import sheets
from nsac_core.methods import METHODS, Prediction


def cell(model: str, seed: int, error: float, epistemic: dict[float, list[float]]) -> pd.DataFrame:
    """Four rows, each off by ``error``, with an aleatoric variance of 1."""
    y = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
    frames = []
    for sigma, values in epistemic.items():
        part = Prediction(y + error, torch.ones(4, 1), torch.tensor(values)[:, None])
        frames.append(frame(part, y, sigma).assign(model=model, seed=seed))
    return pd.concat(frames, ignore_index=True)


@pytest.fixture
def predictions() -> pd.DataFrame:
    sure, doubting = [0.1, 0.2, 0.3, 0.4], [0.15, 0.25, 0.5, 0.6]
    nothing = [0.0] * 4
    return pd.concat(
        [
            cell("nsac", 42, 0.1, {0.0: sure, 0.5: doubting}),
            cell("nsac", 43, 0.3, {0.0: sure, 0.5: sure}),
            cell("nsac_lambda_0", 42, 0.2, {0.0: sure, 0.5: sure}),
            cell("gmle", 42, 0.2, {0.0: nothing, 0.5: nothing}),
        ],
        ignore_index=True,
    )


@pytest.fixture
def scores(predictions: pd.DataFrame) -> pd.DataFrame:
    facts = pd.DataFrame(
        {
            "model": ["nsac", "nsac", "nsac_lambda_0", "gmle"],
            "seed": [42, 43, 42, 42],
            "lambda_reg": [0.5, 0.5, 0.0, np.nan],
            "parameters": [100, 100, 100, 90],
            "epochs": [9, 9, 9, 9],
            "best_epoch": [5, 6, 7, 8],
            "seconds": [1.0, 3.0, 2.0, 1.0],
            "validation_mse": [0.1, 0.1, 0.1, 0.1],
            "validation_nll": [0.2, 0.2, 0.2, 0.2],
        }
    )
    return score(predictions, facts)


def test_scores_are_of_the_rows_as_they_are(scores: pd.DataFrame) -> None:
    assert scores["mse"].tolist() == pytest.approx([0.01, 0.09, 0.04, 0.04], rel=1e-5)
    assert scores["best_epoch"].tolist() == [5, 6, 7, 8]


def test_separation_by_hand(predictions: pd.DataFrame) -> None:
    first, second, _, none = separate(predictions).to_dict("records")
    assert first["epistemic_id"] == pytest.approx(0.25)
    assert first["ratio"] == pytest.approx(1.5)
    # Of the 16 pairs, 0.15 exceeds one, 0.25 two, 0.5 and 0.6 all four.
    assert first["auroc_epistemic"] == pytest.approx(11 / 16)
    assert second["auroc_epistemic"] == 0.5
    assert none["model"] == "gmle"
    assert none["auroc_total"] == 0.5
    assert math.isnan(none["ratio"])


def test_the_table_stands_beside_the_papers(
    predictions: pd.DataFrame, scores: pd.DataFrame
) -> None:
    found = {sheet.name: sheet for sheet in sheets("boston", scores, separate(predictions))}
    line = found["scores"].markdown().splitlines()[2]
    # Mean and population deviation of 0.01 and 0.09, then Table 1 of the paper.
    assert line.startswith("| NSAC | 0.0500 ± 0.0400 | 0.0301 ± 0.0061 |")
    assert "**0.0400 ± 0.0000**" in found["scores"].markdown().splitlines()[3]
    assert [row[0] for row in found["scores"].rows] == ["NSAC", "GMLE"]
    assert [row[0] for row in found["lambda_scores"].rows] == ["0", "0.5"]
    assert [row[:2] for row in found["lambda_separation"].rows] == [["0.5", "0"], ["0.5", "0.5"]]
    assert all(len(row) == len(sheet.head) for sheet in found.values() for row in sheet.rows)


def test_equals_as_shown_are_equally_best() -> None:
    numbers = [Number(value) for value in (0.30001, 0.30004, 0.4, math.nan)]
    assert [n.best for n in with_best(numbers, "low")] == [True, True, False, False]
    assert [n.best for n in with_best(numbers, "high")] == [False, False, True, False]
    assert [n.best for n in with_best(numbers, 0.38)] == [False, False, True, False]
    assert not any(n.best for n in with_best(numbers, None))


def test_numbers_in_both_languages() -> None:
    best = Number.of([0.25, 0.75])
    small = Number(2.5e-5, 1e-6, digits=-3)
    bold = Number(0.2, 0.1, best=True)
    row: list[str | Number] = ["A_b", bold, small, Number(math.nan)]
    sheet = Sheet("s", "50 % of it.", ["method", "x", "y", "z"], [row])
    assert best == Number(0.5, 0.25)
    last = "| A_b | **0.2000 ± 0.1000** | 2.50e-05 ± 1.00e-06 | - |"
    assert sheet.markdown().splitlines()[-1] == last
    latex = sheet.latex()
    assert r"\caption{50 \% of it.}" in latex
    assert r"A\_b & $\mathbf{0.2000 \pm 0.1000}$ & $2.50 \cdot 10^{-5} \pm" in latex
    assert Number(1234.0, None, digits=-3).markdown() == "1.23e+03"
    assert Number(133.4, None, digits=-3).markdown() == "133"


def test_the_papers_table_is_whole() -> None:
    measures = ("mse", "nll", "crps", "ece", "auroc")
    cells = [published(d, m, n) for d in data_sets() for m in METHODS for n in measures]
    assert len(cells) == 300
    assert None not in cells


@pytest.mark.parametrize(
    ("data_set", "method", "metric", "mean", "std"),
    [
        ("boston", "nsac", "mse", 0.0301, 0.0061),
        ("kin8nm", "evidential", "crps", 0.8011, 0.1905),
        ("spiral", "deep_ensemble", "nll", -2.5632, 0.3694),
        ("carracing", "sde_net", "auroc", 0.6624, 0.225),
        ("jena", "mc_dropout", "nll", 6.7464, 6.8760),
        ("hust", "gmle", "auroc", 1.0, None),
    ],
)
def test_the_papers_numbers(
    data_set: str, method: str, metric: str, mean: float, std: float | None
) -> None:
    assert published(data_set, method, metric) == Number(mean, std)


def test_what_the_paper_lacks_is_none() -> None:
    assert published("boston", "gp", "mse") is None
    assert published("boston", "nsac", "mae") is None


def test_figures_of_names_with_dots_are_two(tmp_path: Path) -> None:
    for name in ("clone.v1", "clone.v2"):
        save_figure(Figure(figsize=(1, 1)), tmp_path / name)
    files = {f"clone.{version}.{ending}" for version in ("v1", "v2") for ending in ("png", "svg")}
    assert {file.name for file in tmp_path.iterdir()} == files
