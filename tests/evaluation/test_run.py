import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import maps
from evaluation import EvaluationError, run
from evaluation.cli import main
from evaluation.closed_loop import drive_chunk
from evaluation.config import EvaluateConfig
from evaluation.identity import changed, description, entrants, identity

MakeConfig = Callable[..., EvaluateConfig]
POLICY = "closed_loop_policies:Scripted"


@pytest.fixture(autouse=True)
def _policies_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pictures and report, where a test is not about them."""
    monkeypatch.setattr("evaluation.figures.save_all", lambda *_: [])
    monkeypatch.setattr("evaluation.report.build", lambda *_: "report")


@pytest.fixture
def make(tmp_path: Path) -> MakeConfig:
    """Three short laps in two chunks."""

    def make_config(**changes: object) -> EvaluateConfig:
        defaults: dict[str, Any] = {
            "policy": (POLICY,),
            "maps": "seed:3-5",
            "out": tmp_path / "run",
            "batch": 2,
            "max_steps": 40,
            "quiet": True,
        }
        return EvaluateConfig(**{**defaults, **changes})

    return make_config


def tables(folder: Path) -> list[pd.DataFrame]:
    frames = [pd.read_parquet(folder / f"{name}.parquet") for name in ("laps", "steps")]
    return [f[[name for name in f if not str(name).startswith("latency")]] for f in frames]


def test_a_run_is_a_folder_with_everything_in_it(make: MakeConfig) -> None:
    config = make()
    finished = run.evaluate(config)
    assert {path.name for path in config.out.iterdir()} == {
        *("config.json", "laps.parquet", "steps.parquet", "report.html", "figures"),
    }
    assert len(finished.laps) == 3
    assert len(finished.steps(["step"])) == 120
    laps, steps = tables(config.out)
    public = (
        "policy map seed renderer perturbation severity return completed success steps lap_time"
    )
    more = "progress lateral_rmse lateral_max off_road_share departures steering_change"
    assert {*public.split(), *more.split()} <= set(laps)
    state = "policy map seed perturbation severity step x y heading speed progress lateral_error"
    assert {*state.split(), "heading_error", "curvature", "reward", "epistemic_brake"} <= set(steps)
    pictures = sorted(path.name for path in (config.out / "figures").iterdir())
    assert "returns.png" in pictures
    assert "scripted_worst_map_speed.png" in pictures


@pytest.mark.usefixtures("_plain")
def test_the_same_command_elsewhere_gives_the_same_tables(make: MakeConfig, tmp_path: Path) -> None:
    run.evaluate(make())
    run.evaluate(make(out=tmp_path / "other"))
    for mine, theirs in zip(tables(tmp_path / "run"), tables(tmp_path / "other"), strict=True):
        assert_frame_equal(mine, theirs)


@pytest.mark.usefixtures("_plain")
def test_a_finished_run_is_left_alone(make: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    config = make()
    run.evaluate(config)
    before = {path: path.stat().st_mtime_ns for path in config.out.rglob("*")}
    monkeypatch.setattr(run, "drive_chunk", None)
    again = run.evaluate(make(workers=2))
    assert {path: path.stat().st_mtime_ns for path in config.out.rglob("*")} == before
    assert len(again.laps) == 3


@pytest.mark.usefixtures("_plain")
def test_an_interrupted_run_goes_on_where_it_stopped(
    make: MakeConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven: list[int] = []

    def interrupted(policy: Any, chunk: Any, *rest: Any) -> pd.DataFrame:  # noqa: ANN401
        if chunk.number == 1 and driven == [0]:
            driven.append(-1)
            raise KeyboardInterrupt
        driven.append(chunk.number)
        return drive_chunk(policy, chunk, *rest)

    monkeypatch.setattr(run, "drive_chunk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.evaluate(make())
    assert not (tmp_path / "run" / "laps.parquet").exists()
    run.evaluate(make())
    assert driven == [0, -1, 1]
    run.evaluate(make(out=tmp_path / "whole"))
    for mine, theirs in zip(tables(tmp_path / "run"), tables(tmp_path / "whole"), strict=True):
        assert_frame_equal(mine, theirs)


@pytest.mark.slow
@pytest.mark.usefixtures("_plain")
def test_workers_make_the_same_run(make: MakeConfig, tmp_path: Path) -> None:
    run.evaluate(make())
    run.evaluate(make(out=tmp_path / "two", workers=2))
    for mine, theirs in zip(tables(tmp_path / "run"), tables(tmp_path / "two"), strict=True):
        assert_frame_equal(mine, theirs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "seed 0"),
        ({"batch": 3}, "batch 2"),
        ({"maps": "seed:3-6"}, "other maps"),
        ({"renderer": "fast"}, "renderer exact"),
        ({"policy": ("privileged",)}, r"other policies \(scripted\)"),
        ({"perturb": "blur:2"}, r"other perturbations \(none\)"),
    ],
)
def test_another_configuration_is_refused(
    make: MakeConfig, change: dict[str, Any], message: str
) -> None:
    run._claim(make(), *_claims(make()))
    with pytest.raises(EvaluationError, match=f"holds a run with {message}"):
        run.evaluate(make(**change))


def test_runs_without_perturbations_are_those_of_before(make: MakeConfig) -> None:
    plain, none = _claims(make())[0], _claims(make(perturb="none"))[0]
    assert plain == none
    keys = "version policies maps map_files batch renderer seed max_steps"
    assert list(plain) == keys.split()
    perturbed, _ = _claims(make(perturb="colours,blur:2"))
    assert perturbed == {**plain, "perturbations": ["colours", "blur:2"]}
    assert changed(perturbed, plain) == "other perturbations (colours, blur:2)"


def test_a_run_with_perturbations_keeps_them_apart(
    make: MakeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven: list[Any] = []

    def interrupted(policy: Any, chunk: Any, conditions: Any, *rest: Any) -> pd.DataFrame:  # noqa: ANN401
        driven.append((str(conditions.perturbed), chunk.number))
        if len(driven) == 4:
            raise KeyboardInterrupt
        return drive_chunk(policy, chunk, conditions, *rest)

    monkeypatch.setattr(run, "drive_chunk", interrupted)
    config = make(perturb="steering-bias:5,friction:5")
    with pytest.raises(KeyboardInterrupt):
        run.evaluate(config)
    finished = run.evaluate(config)
    conditions = ("none", "steering-bias:5", "friction:5")
    every = [(condition, chunk) for condition in conditions for chunk in (0, 1)]
    assert driven == [*every[:4], *every[3:]]
    assert finished.laps.groupby(["perturbation", "severity"], sort=False).size().to_dict() == {
        ("none", 0): 3,
        ("steering-bias", 5): 3,
        ("friction", 5): 3,
    }
    page = finished.report.read_text(encoding="utf-8")
    assert "9 laps on 3 tracks, no renderer, seed 0, clean and under 2 perturbations" in page
    assert page.count("completed 0 of 3 laps") == 3
    assert "Paired differences from scripted<" in page
    assert page.count('<th scope="row">scripted, friction:5</th>') == 1
    pictures = {path.name for path in (config.out / "figures").iterdir()}
    assert "scripted_worst_map_speed.png" in pictures
    assert not any("friction" in name for name in pictures)


def _claims(config: EvaluateConfig) -> tuple[dict[str, Any], dict[str, Any]]:
    drivers = entrants(config)
    decisive = identity(config, drivers, maps.expand(config.maps))
    return decisive, description(config, drivers, decisive)


def test_another_version_of_the_policy_is_refused(make: MakeConfig) -> None:
    config = make()
    decisive, text = _claims(config)
    text["identity"] = {**decisive, "policies": {"scripted": "0" * 64}}
    config.out.mkdir()
    (config.out / "config.json").write_text(json.dumps(text))
    with pytest.raises(EvaluationError, match="another version of the policy scripted"):
        run.evaluate(config)


def test_a_folder_with_other_things_in_it_is_not_touched(make: MakeConfig) -> None:
    config = make()
    config.out.mkdir()
    (config.out / "thesis.tex").write_text("precious")
    with pytest.raises(EvaluationError, match="neither empty nor a run"):
        run.evaluate(config)
    assert [path.name for path in config.out.iterdir()] == ["thesis.tex"]


def test_policies_of_one_name_are_told_apart(make: MakeConfig) -> None:
    twins = ("closed_loop_policies:Scripted", "closed_loop_policies:NotANumber")
    decisive, _ = _claims(make(policy=twins))
    assert list(decisive["policies"]) == list(twins)
    with pytest.raises(EvaluationError, match="given 2 times"):
        run.evaluate(make(policy=(POLICY, POLICY)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "privileged", "--maps", "nowhere"], "unknown map 'nowhere'"),
        (["--policy", "missing.safetensors", "--maps", "seed:3"], "no such checkpoint"),
        (
            ["--policy", "closed_loop_policies:WrongShape", "--maps", "seed:3"],
            "shape (1, 2), expected",
        ),
        (["--policy", "privileged", "--maps", "seed:3", "--batch", "0"], "batch is 0"),
        (["--policy", "privileged", "--maps", "seed:3", "--perturb", "fog"], "perturbation 'fog'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--out", str(tmp_path / "run"), "--quiet"])
    assert stop.value.code == 2
    fault = capsys.readouterr().err.strip()
    assert fault.startswith("error: ")
    assert message in fault
    assert "\n" not in fault


@pytest.mark.usefixtures("_plain")
def test_the_command_prints_the_summary_and_the_report(
    make: MakeConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--policy", POLICY, "--maps", "seed:3", "--out", str(tmp_path / "run")]
    main([*arguments, "--max-steps", "20", "--quiet"])
    printed = capsys.readouterr().out
    assert "Lap completed" in printed
    assert "report.html" in printed.replace("\n", "")
