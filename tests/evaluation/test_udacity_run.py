"""A run on the stand-in: kept drives, another policy, tables, figures, the page, refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from drive.observation import ObservationSpec
from drive.udacity.frame_shape import FRAME_SHAPE
from drive.udacity.simulator import Simulator
from evaluation.cli import main
from evaluation.errors import EvaluationError
from evaluation.udacity import units
from evaluation.udacity.closed_loop import drive_laps
from evaluation.udacity.config import StandInConfig
from evaluation.udacity.run import drive, evaluate
from nsac_core.benchmarks.errors import BenchmarkError
from policies import Decision, PolicyError

GRAY = np.full(FRAME_SHAPE, 128, dtype=np.uint8)


class Swerving:
    """Steers at random, as its seed says; sure of it."""

    name = "nsac-3"
    observation = ObservationSpec("camera", 1)

    def reset(self, n: int, seed: int = 0) -> None:  # noqa: ARG002
        self.rng = np.random.default_rng(seed)

    def act(self, observations: Any) -> Decision:  # noqa: ANN401
        steer = self.rng.normal(0.05, 0.05, (len(observations), 1)).astype(np.float32)
        return Decision(np.clip(steer, -1, 1), steer, abs(steer), 0 * steer)


class Gray(Swerving):
    observation = ObservationSpec("gray84", 4)


@pytest.fixture(scope="module")
def stand_in() -> Simulator:
    return Simulator("lake")


@pytest.fixture
def driven(stand_in: Simulator, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Lets laps be a hundredth as long, blind, all on one track; lists those that are driven."""
    calls: list[float] = []

    def short(*arguments: Any, laps: float, **options: Any) -> pd.DataFrame:  # noqa: ANN401
        calls.append(laps)
        return drive_laps(*arguments, laps=0.01 * laps, **options)

    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setattr(stand_in, "frame", lambda: GRAY)
    monkeypatch.setattr(units, "simulator_of", lambda *_, **__: stand_in)
    monkeypatch.setattr(units, "drive_laps", short)
    return calls


def config(out: Path, **changes: Any) -> StandInConfig:  # noqa: ANN401
    settings: dict[str, Any] = {
        "policies": ("scripted", "test_udacity_run:Swerving"),
        "tracks": ("lake",),
        "quiet": True,
    }
    return StandInConfig(out=out, **(settings | changes))


def test_what_is_driven_is_kept_and_what_is_new_is_added(
    tmp_path: Path, driven: list[float]
) -> None:
    first = drive(config(tmp_path / "run"))
    assert driven == [3, 3]
    drive(config(tmp_path / "run"))
    assert len(driven) == 2
    more = drive(config(tmp_path / "run", latencies=(0, 100), perturbations=("blur", "noise:5")))
    assert driven[2:] == [1] * 6
    clean = more.steps[(more.steps["late_ms"] == 0) & (more.steps["severity"] == 0)]
    pd.testing.assert_frame_equal(clean.reset_index(drop=True), first.steps)
    assert more.drives["condition"].unique().tolist() == [
        "none",
        "100 ms late",
        "blur:3",
        "noise:5",
    ]


def test_part_of_a_lap_is_driven_and_whole_ones_are_what_they_were(
    tmp_path: Path, driven: list[float]
) -> None:
    found = drive(config(tmp_path, policies=("scripted",), laps=2.5))
    assert driven == [2.5]
    # A step is some 0.5 m of a lap of 1.1 km, and laps here are a hundredth as long as asked for.
    assert found.drives["laps"].item() == pytest.approx(0.025, abs=0.0006)
    drive(config(tmp_path, policies=("scripted",), laps=1))
    drive(config(tmp_path, policies=("scripted",), laps=1.0))
    assert driven == [2.5, 1]


def test_a_report_of_what_is_there_drives_nothing(tmp_path: Path, driven: list[float]) -> None:
    with pytest.raises(EvaluationError, match="none of these drives is there"):
        drive(config(tmp_path / "run", report_only=True))
    drive(config(tmp_path / "run", laps=1))
    drive(config(tmp_path / "run", laps=1, policies=("scripted",), latencies=(0, 100)))
    before = len(driven)
    found = evaluate(config(tmp_path / "run", laps=1, latencies=(0, 100), report_only=True))
    assert len(driven) == before
    (latency,) = [sheet for sheet in found.sheets if sheet.name == "latency_lake"]
    assert [str(row[0]) for row in latency.rows] == ["scripted"]
    assert "-" not in latency.rows[0]
    (clean,) = [sheet for sheet in found.sheets if sheet.name == "autonomy_lake"]
    assert len(clean.rows) == 2


def test_an_interrupted_run_is_the_run_itself(tmp_path: Path, driven: list[float]) -> None:
    whole = drive(config(tmp_path / "run")).steps.drop(columns="latency_ms")
    file = next((tmp_path / "run" / "drives" / "nsac-3").iterdir())
    file.unlink()
    half = file.with_name(f".{file.name}.99999999.nsac.part")
    half.write_text("half of it")
    again = drive(config(tmp_path / "run")).steps.drop(columns="latency_ms")
    assert not half.exists()
    pd.testing.assert_frame_equal(again, whole)
    assert len(driven) == 3


def test_another_seed_speed_or_stand_in_is_driven_anew(
    tmp_path: Path, driven: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    drive(config(tmp_path, laps=1))
    drive(config(tmp_path, laps=1, seed=1))
    drive(config(tmp_path, laps=1, speed=25.0))
    monkeypatch.setattr(units, "fingerprint", lambda _: "another")
    drive(config(tmp_path, laps=1))
    assert len(driven) == 8


def test_the_fingerprint_is_of_the_picture_and_of_the_car(
    driven: list[float], stand_in: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {units.fingerprint.__wrapped__("lake")}
    monkeypatch.setattr(stand_in, "frame", lambda: GRAY + 1)
    found.add(units.fingerprint.__wrapped__("lake"))
    monkeypatch.setattr("drive.udacity.simulator.vehicle.DRAG", 0.101)
    found.add(units.fingerprint.__wrapped__("lake"))
    assert len(found) == 3


def test_a_policys_doubt_is_kept(tmp_path: Path, driven: list[float]) -> None:
    found = drive(config(tmp_path, policies=("test_udacity_run:Swerving",), laps=1))
    steps = found.steps
    np.testing.assert_allclose(steps["aleatoric_steer"], np.abs(steps["mean_steer"]))
    assert found.drives["aleatoric_mean"].item() == pytest.approx(
        np.abs(steps["mean_steer"]).mean()
    )


def test_the_report_has_every_table_and_figure(tmp_path: Path, driven: list[float]) -> None:
    out = tmp_path / "run"
    found = evaluate(config(out, latencies=(0, 200), perturbations=("noise",)))
    names = [sheet.name for sheet in found.sheets]
    assert names == ["autonomy_lake", "laps_lake", "latency_lake", "perturbations_lake"]
    for sheet in found.sheets:
        assert [str(row[0]) for row in sheet.rows] == ["NSAC", "scripted"]
        assert {len(row) for row in sheet.rows} == {len(sheet.head)}
        assert not any("|" in head for head in sheet.head)
    for name in ("trajectories", "lateral_error", "latency", "perturbations"):
        assert (out / f"{name}.svg").stat().st_size > 5000
        assert (out / f"{name}.png").is_file()
    assert (out / "tables.tex").read_text().count(r"\begin{table}") == 4


def test_a_page_is_filled_with_what_is_of_this_run(tmp_path: Path, driven: list[float]) -> None:
    page = tmp_path / "udacity.md"
    page.write_text(
        "<!-- begin other/table -->\nkept\n<!-- end -->\n"
        "<!-- begin run/autonomy_lake -->\nold\n<!-- end -->\n"
        "<!-- begin run/figure_trajectories -->\n<!-- end -->\n"
    )
    evaluate(config(tmp_path / "run", laps=1, page=page))
    text = page.read_text()
    assert "kept" in text
    assert "old" not in text
    assert "| NSAC |" in text
    assert "](udacity_run_trajectories.svg)" in text
    assert (tmp_path / "udacity_run_trajectories.svg").is_file()
    page.write_text("<!-- begin run/no_such -->\n<!-- end -->\n")
    with pytest.raises(BenchmarkError, match="run/no_such"):
        evaluate(config(tmp_path / "run", laps=1, page=page))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"policies": ()}, "no policy"),
        ({"policies": ("scripted", "scripted")}, "scripted is given 2 times"),
        ({"tracks": ("moon",)}, "no track 'moon', expected lake, jungle"),
        ({"speed": 0.0}, "expected 1 to 30"),
        ({"laps": 0}, "laps is 0, expected more than 0"),
        ({"changed_laps": float("inf")}, "changed_laps is inf, expected more than 0"),
        ({"latencies": (30,)}, "multiple of 20"),
    ],
)
def test_what_cannot_be_driven_is_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(EvaluationError, match=words):
        drive(config(tmp_path, **changes))


def test_a_policy_of_another_world_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    with pytest.raises(PolicyError, match="camera frames"):
        drive(config(tmp_path / "run", policies=("test_udacity_run:Gray",)))
    assert not (tmp_path / "run").exists()


def test_the_folder_of_something_else_is_left_alone(tmp_path: Path, driven: list[float]) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(EvaluationError, match="neither empty nor a run"):
        drive(config(tmp_path, laps=1))


def test_the_command_line_prints_the_tables(
    tmp_path: Path, driven: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    main(f"udacity --policies scripted --tracks lake --laps 1 --quiet --out {out}".split())
    assert "| scripted |" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(f"udacity --policies nobody --tracks lake --out {out}".split())
    assert "no policy 'nobody'" in capsys.readouterr().err
