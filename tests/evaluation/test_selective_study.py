from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation import EvaluationError
from evaluation.comparison import selective, takeovers
from evaluation.comparison.config import ComparisonConfig
from evaluation.comparison.selective import SelectiveConfig, drive_selective, matched, thresholds
from evaluation.comparison.study import compare
from evaluation.run import Run
from policies.loading import BUNDLED
from policies.selective import parse

MakeLap = Callable[..., pd.DataFrame]


def a_run(folder: Path, steps: pd.DataFrame, sources: dict[str, str]) -> Run:
    steps.to_parquet(folder / "steps.parquet")
    return Run(folder, pd.DataFrame(), sources)


def test_thresholds_are_quantiles_of_each_clones_own_deviation(
    make_lap: MakeLap, tmp_path: Path
) -> None:
    epistemic, aleatoric = 0.3 * np.arange(101), 0.4 * np.arange(101)
    both = make_lap(101, policy="nsac_carracing")
    both = both.assign(epistemic_steer=epistemic, aleatoric_steer=aleatoric)
    steps = pd.concat([both, make_lap(101, policy="privileged")])
    config = SelectiveConfig(("nsac", "privileged"), quantiles=(0.9, 0.5), hold=7)
    alone = a_run(tmp_path, steps, {"nsac_carracing": "nsac", "privileged": "privileged"})
    found = thresholds(config, alone)
    assert found["threshold"].tolist() == pytest.approx([27.0, 15.0])  # privileged states nothing
    clone, rule = parse(found["source"][0])
    assert (clone, rule.part, rule.hold) == ("nsac", "epistemic", 7)
    assert rule.threshold == pytest.approx(27.0)


def test_a_clone_without_the_part_hands_over_by_its_total(
    make_lap: MakeLap, tmp_path: Path
) -> None:
    steps = make_lap(101, policy="nsac_carracing", aleatoric_steer=0.4 * np.arange(101))
    alone = a_run(tmp_path, steps, {"nsac_carracing": "nsac"})
    found = thresholds(SelectiveConfig(("nsac",), quantiles=(0.5,)), alone)
    assert found[["part", "threshold"]].to_numpy().tolist() == [["total", pytest.approx(20.0)]]


@pytest.mark.parametrize(("share", "length"), [(0.1, 30.2), (0.5, 25.0), (1.0, 40.0)])
def test_a_control_takes_over_as_often_and_as_long(share: float, length: float) -> None:
    rule = matched(share, length)
    rng = np.random.default_rng(0)
    taken, left = [], 0
    for chance in rng.random(200_000):
        left = left - 1 if left > 0 else 0
        if left == 0 and chance > rule.threshold:
            left = rule.hold
        taken.append(left > 0)
    assert rule.hold == round(length)
    assert np.mean(taken) == pytest.approx(share, abs=0.01)


def laps_of(departures: list[int], shares: list[float]) -> pd.DataFrame:
    """Two models on two tracks."""
    laps = pd.DataFrame({"departures": departures, "takeover_share": shares})
    laps = laps.assign(
        model=[0, 0, 1, 1], lap=[0, 1, 0, 1], takeovers=2, steps=[100, 300, 100, 300]
    )
    laps["completed"] = laps["departures"] == 0
    return laps.assign(method="nsac", part="epistemic", quantile=0.9, control="")


def test_the_curve_pools_models_and_pairs_controls_by_lap() -> None:
    driver = laps_of([0, 1, 0, 1], [0.4, 0.0, 0.4, 0.0])
    control = laps_of([2, 3, 2, 1], [0.1, 0.1, 0.1, 0.1]).assign(control="random")
    alone = laps_of([4, 4, 4, 4], [0.0] * 4).assign(part="none", quantile=1.0)
    found = takeovers.curve(pd.concat([driver, control, alone]))
    assert found["part"].tolist() == ["none", "epistemic"]
    row = found.iloc[1]
    assert (row["models"], row["laps"]) == (2, 4)
    assert row["share"] == pytest.approx(0.1)  # of steps: 80 of 800
    assert row["departures"] == pytest.approx(0.5)
    assert row["completed"] == pytest.approx(0.5)
    assert row["random_departures"] == pytest.approx(2.0)
    assert row["saved"] == pytest.approx(1.5)
    assert row["saved_low"] <= 1.5 <= row["saved_high"]
    assert np.isnan(found.iloc[0]["saved"])


def test_a_study_is_driven_once_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    config = SelectiveConfig(
        ("closed_loop_policies:Scripted",),
        out=tmp_path / "study",
        quantiles=(0.95,),
        validation="oval",
        tracks="short",
        max_steps=150,
        quiet=True,
    )
    drive_selective(config)
    monkeypatch.setattr("evaluation.run._drive_and_store", lambda _: pytest.fail("driven again"))
    drive_selective(config)
    laps = selective.read(config.out)
    assert laps["part"].tolist() == ["none", "epistemic", "epistemic"]
    assert laps["control"].tolist() == ["", "", "random"]
    shares = laps["takeover_share"].tolist()
    assert shares[0] == 0
    assert min(shares[1:]) > 0.3  # one step of twenty is enough to be held for half a second
    (sheet,) = takeovers.tables(config.out)
    assert [row[:3] for row in sheet.rows] == [
        ["scripted", "alone", "-"],
        ["scripted", "epistemic", "0.95"],
    ]
    takeovers.figures(config.out)["selective"].savefig(tmp_path / "selective.svg")


def test_a_comparison_supervises_plain_clones_of_the_first_seeds(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for seed in (0, 1):
        clone = tmp_path / "plain" / f"nsac-{seed}.safetensors"
        clone.write_bytes(BUNDLED["nsac"].read_bytes())
    config = ComparisonConfig(
        out=tmp_path / "study",
        clones=tmp_path,
        expert="privileged",
        methods=("nsac",),
        seeds=2,
        stages=("selective",),
        validation_tracks="oval",
        tracks="short",
        renderer="fast",
        max_steps=20,
        quiet=True,
    )
    compare(config, lambda _: None)
    laps = selective.read(config.out / "selective")
    assert set(laps["model"]) == {0}
    assert set(laps["method"]) == {"nsac"}
    assert set(laps["map"]) == {"short"}
    assert (laps["steps"] == 20).all()


def test_an_unfinished_study_and_a_quantile_that_is_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no finished study"):
        selective.read(tmp_path)
    with pytest.raises(EvaluationError, match="quantile is 1, expected between 0 and 1"):
        drive_selective(SelectiveConfig(("nsac",), quantiles=(1.0,)))
