"""Folders of runs, studies and benchmarks with a damaged file in them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from evaluation.cli import main as evaluate
from evaluation.inspect_cli import main as inspect
from evaluation.inspection.seen_laps import drive_and_see
from nsac_core.benchmarks.cells import Cell, Result, file_of, frame
from nsac_core.benchmarks.contenders import Contender
from nsac_core.benchmarks.progress import Scratch
from nsac_core.benchmarks.runner import run as run_cells
from nsac_core.cli import main as bench
from nsac_core.methods import Prediction
from tests.reliability.tampering import DAMAGES, Damage, another_kind, empty, flip, refuses

POLICY = "closed_loop_policies:Blindfold"
BY_HAND = "one line that names the file, status 2"
ALL = "truncated, empty, another kind, bits flipped"


@pytest.fixture(scope="module", autouse=True)
def _policies_by_name() -> Any:  # noqa: ANN401 - a generator
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[1] / "evaluation"))
        yield


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of two laps, seen."""
    folder = tmp_path_factory.mktemp("driven") / "run"
    drive_and_see([POLICY], "oval,short", folder, renderer="fast", max_steps=6)
    return folder


@pytest.fixture
def run(driven: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(driven, tmp_path / "run"))


def laps(run: Path) -> list[str]:
    """The command of the run."""
    options = ["--maps", "oval,short", "--renderer", "fast", "--max-steps", "6", "--quiet"]
    return ["--policy", POLICY, "--out", str(run), *options]


def compared(run: Path) -> list[str]:
    return ["compare", str(run), "--out", str(run.parent / "compared")]


@pytest.mark.fault(ALL, "config.json of a run: nsac-evaluate, compare, nsac-inspect", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_description_of_a_run(
    run: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(run / "config.json")
    refuses(evaluate, laps(run), "config.json", capsys)
    refuses(evaluate, compared(run), "config.json", capsys)
    refuses(inspect, ["report", "--out", str(run)], "config.json", capsys)


@pytest.mark.fault("wrong fields", "config.json of a run: nsac-evaluate, compare", BY_HAND)
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"identity": None}, "identity is None, expected dict"),
        ({"identity": {}}, "identity has no field 'policies'"),
        ({"identity": {"policies": ["a"]}}, "identity.policies is ['a']"),
        ({"identity": {"policies": {"a": 1}}}, "identity.policies"),
        ({"identity": {"policies": {}, "perturbations": "blur"}}, "identity.perturbations"),
        ({"identity": {"policies": {}, "maps": [1]}}, "identity.maps is [1]"),
        ({"sources": []}, "sources is []"),
        ({"stranger": 1}, "unknown field 'stranger'"),
    ],
)
def test_wrong_fields_of_the_description_of_a_run(
    run: Path, changes: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = run / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    assert words in refuses(evaluate, laps(run), "config.json", capsys)
    assert words in refuses(evaluate, compared(run), "config.json", capsys)


@pytest.mark.fault("wrong fields", "config.json of a run: nsac-inspect", BY_HAND)
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"maps": 3}, "maps is 3, expected str"),
        ({"policy": POLICY}, "policy is "),
        ({"batch": "10"}, "batch is '10'"),
        ({"colour": "red"}, "unknown field 'colour'"),
    ],
)
def test_wrong_fields_of_the_command_of_a_run(
    run: Path, changes: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = run / "config.json"
    values = json.loads(file.read_text())
    file.write_text(json.dumps({**values, "config": values["config"] | changes}))
    assert words in refuses(inspect, ["report", "--out", str(run)], "config.json", capsys)


@pytest.mark.fault(ALL, "laps.parquet of a run: nsac-evaluate, compare", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_laps(run: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    damage(run / "laps.parquet")
    refuses(evaluate, laps(run), str(run / "laps.parquet"), capsys)
    refuses(evaluate, compared(run), str(run / "laps.parquet"), capsys)


@pytest.mark.fault(ALL, "steps.parquet of a run: nsac-evaluate, nsac-inspect", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_steps(run: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    damage(run / "steps.parquet")
    refuses(evaluate, laps(run), str(run / "steps.parquet"), capsys)
    refuses(inspect, ["report", "--out", str(run), "--trust"], str(run / "steps.parquet"), capsys)


def no_returns(laps: pd.DataFrame) -> pd.DataFrame:
    return laps.drop(columns="return")


def words_for_returns(laps: pd.DataFrame) -> pd.DataFrame:
    return laps.assign(**{"return": "much"})


def strangers(laps: pd.DataFrame) -> pd.DataFrame:
    return laps.assign(policy="stranger")


def nothing(laps: pd.DataFrame) -> pd.DataFrame:
    return laps.iloc[:0]


@pytest.mark.fault(
    "column missing or of words, laps of others, no laps", "nsac-evaluate compare", BY_HAND
)
@pytest.mark.parametrize("change", [no_returns, words_for_returns, strangers, nothing])
def test_wrong_laps(
    run: Path,
    change: Callable[[pd.DataFrame], pd.DataFrame],
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = run / "laps.parquet"
    change(pd.read_parquet(file)).to_parquet(file)
    refuses(evaluate, compared(run), str(file), capsys)


@pytest.mark.fault(ALL, "chunk of an unfinished run: nsac-evaluate", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_chunk_of_an_unfinished_run(
    run: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "chunks").mkdir()
    chunk = run / "chunks" / "00-00000.parquet"
    (run / "steps.parquet").rename(chunk)
    (run / "laps.parquet").unlink()
    damage(chunk)
    refuses(evaluate, laps(run), str(chunk), capsys)


@pytest.mark.fault(ALL, "frames.npz of a seen lap: nsac-inspect", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_frames(run: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    file = next((run / "seen").rglob("frames.npz"))
    damage(file)
    refuses(inspect, ["report", "--out", str(run), "--trust"], str(file), capsys)


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studied")
    text = f'policies = ["{POLICY}"]\nmaps = "oval,short"\nrenderer = "fast"\nmax_steps = 6\n'
    (folder / "study.toml").write_text(text)
    evaluate(["study", str(folder / "study.toml"), "--out", str(folder / "out"), "--quiet"])
    return folder


@pytest.fixture
def study(studied: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(studied, tmp_path / "study"))


def repeated(study: Path) -> list[str]:
    return ["study", str(study / "study.toml"), "--out", str(study / "out"), "--quiet"]


@pytest.mark.fault(ALL, "study.json of a study: nsac-evaluate study, compare", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_identity_of_a_study(
    study: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(study / "out" / "study.json")
    refuses(evaluate, repeated(study), "study.json", capsys)
    refuses(evaluate, compared(study / "out"), "study.json", capsys)


@pytest.mark.fault("damaged", "unit of a study: nsac-evaluate study", "driven anew, the same laps")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_unit_of_a_study_is_driven_anew(study: Path, damage: Damage) -> None:
    laps = study / "out" / "laps.parquet"
    before = pd.read_parquet(laps)
    laps.unlink()
    damage(next((study / "out" / "units").rglob("*.json.gz")))
    evaluate(repeated(study))
    after, times = pd.read_parquet(laps), [name for name in before if "latency" in str(name)]
    pd.testing.assert_frame_equal(after.drop(columns=times), before.drop(columns=times))


@pytest.mark.fault("damaged", "laps.parquet of a study: compare", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_laps_of_a_study(
    study: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    file = study / "out" / "laps.parquet"
    damage(file)
    refuses(evaluate, compared(study / "out"), str(file), capsys)


@pytest.mark.fault(
    "empty, another kind, bits flipped", "TOML file of a study: nsac-evaluate study", BY_HAND
)
@pytest.mark.parametrize("damage", [empty, another_kind, flip])
def test_a_damaged_plan(study: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    damage(study / "study.toml")
    refuses(evaluate, repeated(study), "study.toml", capsys)


def work(cell: Cell, scratch: Scratch) -> Result:
    ones = torch.ones(3, 2)
    prediction = Prediction(ones, 0.25 * ones, 0.125 * ones)
    return Result(frame(prediction, torch.zeros(3, 2), 0.0), {"seconds": 1.0})


CELL = Cell(Contender("nsac", "nsac"), 42)


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    settings = {"data_set": "tiny", "sigmas": []}
    run_cells(tmp_path / "bench", [CELL], settings, work, quiet=True)
    return tmp_path / "bench"


@pytest.mark.fault(ALL, "cell of a benchmark: nsac-bench report", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cell(cells: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    file = file_of(cells, CELL)
    damage(file)
    refuses(bench, ["report", str(cells)], str(file), capsys)


@pytest.mark.fault("Parquet file of something else", "cell: nsac-bench report", BY_HAND)
def test_a_cell_of_something_else(cells: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = file_of(cells, CELL)
    pd.DataFrame({"a": [1]}).to_parquet(file)
    refuses(bench, ["report", str(cells)], str(file), capsys)


@pytest.mark.fault(ALL, "run.json of a benchmark: nsac-bench report", BY_HAND)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_settings(cells: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    damage(cells / "run.json")
    refuses(bench, ["report", str(cells)], "run.json", capsys)


@pytest.mark.fault("another kind", "scores.parquet of a benchmark: nsac-bench table1", BY_HAND)
def test_scores_of_another_kind(
    cells: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "runs" / "boston"
    folder.mkdir(parents=True)
    for damage in (another_kind, lambda file: pd.DataFrame({"a": [1]}).to_parquet(file)):
        damage(folder / "scores.parquet")
        command = ["table1", "--runs", str(folder.parent), "--out", str(tmp_path / "table")]
        refuses(bench, command, str(folder / "scores.parquet"), capsys)
