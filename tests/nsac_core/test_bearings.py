"""The benchmark of bearings: run, reported, and what its references know."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from nsac_core import metrics
from nsac_core.benchmarks.bearings import experiment as experiments
from nsac_core.benchmarks.bearings import sources
from nsac_core.benchmarks.bearings.config import Bearings, SyntheticBearings
from nsac_core.benchmarks.bearings.recordings import Bearing
from nsac_core.benchmarks.bearings.windows import Cut, held_out, leaking
from nsac_core.benchmarks.references import REFERENCES
from nsac_core.benchmarks.report import Report
from nsac_core.cli import main
from nsac_core.methods import METHODS

ENDS = {
    "xjtu_1_1": 312.0,
    "xjtu_1_2": 391.0,
    "xjtu_1_3": 391.0,
    "pronostia_1_3": 475.0,
    "pronostia_2_1": 182.0,
    "hust_1": 242.0,
}


def noisy(name: str, end: float) -> Bearing:
    """Features that tell nothing, and a label of the time alone."""
    rows = 400
    features = np.random.default_rng(len(name)).normal(size=(rows, 14))
    time = np.linspace(0, end, rows)
    return Bearing(name, features, time, (time / end) ** 13)


@pytest.fixture(scope="module")
def found() -> dict[str, Bearing]:
    return {name: noisy(name, end) for name, end in ENDS.items()}


@pytest.fixture(scope="module")
def report(found: dict[str, Bearing], tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A run of everything on 400 rows a bearing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "bearings", lambda _: found)
        out = tmp_path_factory.mktemp("runs") / "bearings"
        return experiments.benchmark(Bearings(seeds=2, epochs=1, out=out, quiet=True))


def test_every_method_is_tested_on_every_rig(report: Report) -> None:
    scores = report.scores
    assert set(scores["model"]) == {*METHODS, "constant", "clock", "boosting"}
    assert set(scores["part"]) == {"xjtu", "pronostia", "pronostia_1_3", "hust"}
    assert np.isfinite(scores[["mse", "nll", "crps", "ece"]].to_numpy()).all()
    names = {sheet.name for sheet in report.sheets}
    assert {"scores", "scores_pronostia", "scores_hust", "transfer", "doubt"} <= names
    for name in ("figure", "lives"):
        assert (report.folder / f"{name}.png").stat().st_size > 10_000


def test_the_table_of_errors_is_that_of_the_predictions(report: Report) -> None:
    rows = pd.read_parquet(report.folder / "predictions.parquet")
    rows = rows[(rows["model"] == "gmle") & (rows["part"] == "hust")]
    errors = ((rows["mean"] - rows["y"]) ** 2).groupby(rows["seed"]).mean()
    sheet = next(sheet for sheet in report.sheets if sheet.name == "transfer")
    shown = next(row for row in sheet.rows if row[0] == "GMLE")[sheet.head.index("HUST 1")]
    assert not isinstance(shown, str)
    assert shown.mean == pytest.approx(errors.mean(), rel=1e-5)


def test_a_clock_knows_the_label_where_the_end_is_the_same(found: dict[str, Bearing]) -> None:
    train = [found["xjtu_1_2"], found["xjtu_1_2"]]
    tests = {"same_end": found["xjtu_1_3"], "hust": found["hust_1"]}
    split = held_out(train, tests, Cut(stride=1, block=20), 42)
    predict = REFERENCES["clock"].fit(split, 42)
    errors = {n: metrics.mse(predict(part.x), part.y) for n, part in split.tests.items()}
    assert errors["same_end"] < 1e-3
    assert errors["hust"] > 0.01
    # Scaled by themselves, all files end at the same time.
    split = leaking(train, tests, Cut(stride=1), 42)
    predict = REFERENCES["clock"].fit(split, 42)
    assert metrics.mse(predict(split.tests["hust"].x), split.tests["hust"].y) < 1e-4


def test_trees_find_what_is_in_the_features() -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(2000, 14))
    label = 1 / (1 + np.exp(-features[:, 3]))
    bearings = [Bearing(n, features, np.arange(2000.0), label) for n in ("a", "b")]
    split = held_out(bearings, {"b": bearings[1]}, Cut(time=False), 0)
    prediction = REFERENCES["boosting"].fit(split, 0)(split.tests["b"].x)
    assert metrics.mse(prediction, split.tests["b"].y) < 0.1 * float(label.var())
    # Its noise is what it misses in validation: the same for all.
    assert torch.unique(prediction.aleatoric).numel() == 1


def test_there_is_no_clock_without_the_time() -> None:
    names = [contender.name for contender in Bearings(time=False).contenders()]
    assert "clock" not in names
    assert "boosting" in names


@pytest.mark.parametrize("kind", [Bearings, SyntheticBearings])
def test_the_short_trial_can_be(kind: type[Bearings]) -> None:
    quick = kind(preset="quick").resolved()
    quick.check()
    assert quick.out != kind.out


def test_inputs_end_where_the_gauge_ends(found: dict[str, Bearing]) -> None:
    far = replace(found["hust_1"], features=1e6 * found["hust_1"].features)
    split = held_out([found["xjtu_1_1"]], {"hust": far}, Cut(cut_off=3.0), 42)
    assert split.tests["hust"].x.abs().max() == 3


def test_simulated_bearings_run_without_any_data(tmp_path: Path) -> None:
    config = SyntheticBearings(
        methods=("constant", "boosting"),
        seeds=1,
        rows=80,
        length=8,
        out=tmp_path / "run",
        quiet=True,
    )
    found = experiments.benchmark(config)
    errors = found.scores.set_index(["model", "part"])["mse"]
    assert errors["boosting", "xjtu"] < 0.5 * errors["constant", "xjtu"]
    assert "synthetic_bearings" in found.sheets[0].caption


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bearings", "--stride", "0"], "stride must be at least 1"),
        (["bearings", "--cut-off", "0"], "cut_off must be positive"),
        (["bearings", "--no-time", "--methods", "clock"], "no method 'clock'"),
        (["synthetic-bearings", "--rows", "20"], "rows must be at least 160"),
        (["bearings", "--data-dir", "nowhere"], "nowhere/bearings/xjtu"),
    ],
)
def test_a_fault_of_the_command_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1
