"""Table 1 from runs: what is gathered, what is bold, what is said of the published numbers."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from scipy import stats

from nsac_core import cli
from nsac_core.benchmarks.paper import artefacts, artefacts_of, data_sets, published
from nsac_core.benchmarks.table_one.intervals import number
from nsac_core.benchmarks.table_one.sources import METRICS, SOURCES, gathered
from nsac_core.methods import METHODS


def scores(errors: dict[str, list[float]], part: str | None) -> pd.DataFrame:
    rows = [
        {"model": model, "seed": seed, **dict.fromkeys(METRICS, value)}
        for model, values in errors.items()
        for seed, value in enumerate(values)
    ]
    frame = pd.DataFrame(rows)
    return frame if part is None else frame.assign(part=part)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Runs of Boston (an old one), the spiral and the bearings, and a study of drivers."""
    runs, drivers = tmp_path / "bench", tmp_path / "drivers"
    boston = {"nsac": [1.0, 2.0, 3.0], "nsac_lambda_0": [9.0] * 3, "constant": [4.0] * 3}
    spiral = {"nsac": [0.5, 0.5], "gmle": [0.7, 0.9]}
    tables = {
        "boston": [scores(boston, None)],
        "spiral": [scores(spiral, "interpolation"), scores({"nsac": [7.0]}, "extrapolation")],
        "bearings": [scores({"gmle": [0.1]}, "xjtu"), scores({"gmle": [0.2]}, "hust")],
    }
    for name, frames in tables.items():
        (runs / name).mkdir(parents=True)
        pd.concat(frames).to_parquet(runs / name / "scores.parquet")
    drivers.mkdir()
    rows = [
        (arm, "nsac", 0, action, metric, value)
        for arm, action, value in (
            ("plain", "overall", 1.5),
            ("plain", "gas", 5),
            ("dagger", "x", 6),
        )
        for metric in (*METRICS, "mae")
    ]
    columns = ["arm", "method", "seed", "action", "metric", "value"]
    pd.DataFrame(rows, columns=columns).to_parquet(drivers / "open_loop.parquet")
    return runs, drivers


def test_scores_come_from_the_parts_that_the_paper_reports(folders: tuple[Path, Path]) -> None:
    found = gathered(*folders)
    mse = found[found["metric"] == "mse"]
    values = {key: rows["value"].tolist() for key, rows in mse.groupby(["data_set", "model"])}
    assert values == {
        ("boston", "nsac"): [1.0, 2.0, 3.0],
        ("boston", "constant"): [4.0, 4.0, 4.0],
        ("spiral", "nsac"): [0.5, 0.5],
        ("spiral", "gmle"): [0.7, 0.9],
        ("xjtu", "gmle"): [0.1],
        ("hust", "gmle"): [0.2],
        ("carracing", "nsac"): [1.5],
    }
    assert set(found["metric"]) == set(METRICS)


def test_every_data_set_of_the_paper_has_its_source() -> None:
    assert [source.data_set for source in SOURCES] == data_sets()
    assert len(data_sets()) == 10


def test_an_interval_is_students() -> None:
    values = pd.Series([1.0, 2.0, 4.0, 4.5, 5.0])
    low, high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    found = number(values)
    assert found.mean == pytest.approx((low + high) / 2)
    assert found.std == pytest.approx((high - low) / 2)
    assert np.isnan(number(pd.Series([], dtype=float)).mean)


def test_published_numbers_are_called_what_they_are() -> None:
    assert len({entry.code for entry in artefacts()}) == len(artefacts())

    def said(data_set: str, method: str, metric: str, words: str) -> bool:
        return any(words in entry.why for entry in artefacts_of(data_set, method, metric))

    # An AUROC of 1 is one wherever it stands, and only there.
    for data_set in data_sets():
        for method in METHODS:
            number = published(data_set, method, "auroc")
            assert number is not None
            perfect = said(data_set, method, "auroc", "an area of exactly 1")
            assert perfect == (number.mean == 1.0)
    # The broadcast is in all errors of the two tables and of Udacity, and in no other.
    broadcast = "targets (N,) were subtracted from means (N, 1)"
    spoilt = {d for d in data_sets() if all(said(d, m, "mse", broadcast) for m in METHODS)}
    assert spoilt == {"boston", "kin8nm", "udacity"}
    # 1/6 is the variance of a coordinate r cos(theta) with r uniform in [0, 1].
    derived = published("spiral", "evidential", "mse")
    assert derived is not None
    assert derived.mean == pytest.approx(1 / 6, abs=0.004)
    assert said("spiral", "evidential", "mse", "variance of the targets")
    assert not artefacts_of("boston", "constant", "mse")


def test_the_command_fills_a_page_from_the_runs_that_there_are(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    names = ("all", "boston", "ettm1", "reasons", "figure")
    page.write_text("".join(f"<!-- begin table1/{name} -->\n<!-- end -->\n" for name in names))
    runs, drivers = (str(folder) for folder in folders)
    out = tmp_path / "out"
    cli.main(
        ["table1", "--runs", runs, "--drivers", drivers, "--out", str(out), "--page", str(page)]
    )
    text = page.read_text()
    head = (
        "| NSAC, MSE | **0.5000 ± 0.0000** | 2.0000 ± 2.4841 | - | - | - | - | - | - | - | 1.5000 |"
    )
    assert head.replace(" 1.5000 |", "") in text
    assert "| 0.0301 ± 0.0061 |" in text
    assert "MSE b; NLL b g h" in text
    assert "| constant | 4.0000" in text
    assert "ETTm1: no run yet; `nsac-bench ettm1` makes one." in text
    assert "|z|" not in text  # a bar would be another column
    assert (tmp_path / "table1.svg").is_file()
    assert plt.imread(out / "figure.png").std() > 0.05
    records = json.loads((out / "table1.json").read_text())
    assert {record["data_set"] for record in records} == set(gathered(*folders)["data_set"])
    assert "nsac-bench ettm1" in capsys.readouterr().out  # what would make the rest


def test_without_any_run_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["table1", "--runs", str(tmp_path / "a"), "--drivers", str(tmp_path / "b")])
    assert "holds a run" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["table1", "--page", str(tmp_path / "none.md")])
    assert "no such page" in capsys.readouterr().err
