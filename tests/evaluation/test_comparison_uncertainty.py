import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from evaluation import EvaluationError
from evaluation.comparison.uncertainty import Rating, figures, rate, tables
from evaluation.foresight import foresight, leaves_soon

MakeLap = Callable[..., pd.DataFrame]


@pytest.fixture
def run(make_lap: MakeLap, tmp_path: Path) -> Path:
    """Two models of two methods on three tracks; all leave the road, ``gmle`` without a doubt."""
    rng = np.random.default_rng(0)
    frames = []
    for model, scale in ((0, 0.01), (1, 5.0)):
        for lap in range(3):
            away = 150 + 40 * lap
            step = np.arange(400)
            wheels = np.where((step >= away) & (step < away + 20), 4, 0)
            doubt = scale * (1 + rng.random(400) + ((step >= away - 30) & (step < away)))
            steps = make_lap(400, wheels_off_road=wheels, lateral_error=rng.normal(0, 3, 400))
            steps = steps.assign(
                lap=lap, map=f"seed:{lap}", aleatoric_steer=scale * rng.random(400)
            )
            frames.append(steps.assign(policy=f"nsac-{model}", epistemic_steer=doubt))
            frames.append(steps.assign(policy=f"gmle-{model}"))
    pd.concat(frames).to_parquet(tmp_path / "steps.parquet")
    return tmp_path


def of(ratings: list[Rating], method: str, part: str) -> Rating:
    (found,) = [r for r in ratings if r.method == method and r.part == part]
    return found


def test_models_of_other_scales_are_ranked_by_themselves(run: Path) -> None:
    rated = of(rate(run), "nsac", "epistemic")
    steps = pd.read_parquet(run / "steps.parquet")
    score, leaves = [], []
    for (policy, _), lap in steps[steps["policy"].str.startswith("nsac")].groupby(
        ["policy", "lap"]
    ):
        soon, known = leaves_soon(lap)
        scale = 0.01 if policy == "nsac-0" else 5.0  # planted: undone, the models are alike
        score.append(lap["epistemic_steer"].to_numpy()[known] / scale)
        leaves.append(soon[known])
    expected = roc_auc_score(np.concatenate(leaves), np.concatenate(score))
    found = rated.measures["auroc"]
    assert found.estimate == pytest.approx(expected, abs=0.01)
    assert found.low < found.estimate < found.high
    assert rated.departures == 6
    assert np.trapezoid(rated.curves["roc"][1], rated.curves["roc"][0]) == pytest.approx(
        found.estimate
    )


def test_a_model_alone_is_rated_as_in_its_report(run: Path) -> None:
    steps = pd.read_parquet(run / "steps.parquet")
    alone = steps[steps["policy"] == "nsac-1"]
    alone.to_parquet(run / "steps.parquet")
    for expected in foresight(alone):
        rated = of(rate(run), "nsac", expected.kind).measures
        assert rated["auroc"].estimate == pytest.approx(expected.auroc, abs=0.005)
        assert rated["warned"].estimate == pytest.approx(expected.warned_share)
        assert rated["lead_time"].estimate == pytest.approx(expected.lead_time)
        assert rated["driving_risk"].estimate == pytest.approx(expected.excess_risk, abs=0.01)


def test_a_part_that_is_not_stated_has_no_row(run: Path) -> None:
    (sheet,) = tables(run)
    parts = [row[:3] for row in sheet.rows]
    assert parts == [
        *(["NSAC", part, "6"] for part in ("epistemic", "aleatoric", "total")),
        *(["GMLE", part, "6"] for part in ("aleatoric", "total")),
    ]
    assert math.isnan(of(rate(run), "gmle", "epistemic").measures["auroc"].estimate)
    assert "excess risk, open-loop steering" not in sheet.head


def test_open_loop_predictions_are_read_beside_the_run(run: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    folder = tmp_path / "open_loop"
    folder.mkdir()
    for policy in ("nsac-0", "nsac-1"):
        epistemic = rng.exponential(size=1000)
        rows = pd.DataFrame({"row": np.arange(1000), "y": 0.0, "mean": np.sqrt(epistemic)})
        rows = rows.assign(epistemic=epistemic, aleatoric=0.0, output=0)  # variances, all of it
        gas = rows.assign(output=1, mean=rng.permutation(rows["mean"]))
        pd.concat([gas, rows]).to_parquet(folder / f"{policy}.parquet")
    ratings = rate(run, folder)
    assert of(ratings, "nsac", "epistemic").measures["open_loop_risk"].estimate == pytest.approx(0)
    assert math.isnan(of(ratings, "nsac", "aleatoric").measures["open_loop_risk"].estimate)
    assert math.isnan(of(ratings, "gmle", "aleatoric").measures["open_loop_risk"].estimate)
    drawn = figures(run, folder)["uncertainty"]
    assert len(drawn.axes) == 9
    drawn.savefig(tmp_path / "uncertainty.svg")


def test_a_folder_without_steps_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no run"):
        rate(tmp_path)
