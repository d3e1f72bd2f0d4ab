import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import evaluation
from evaluation.cli import main
from evaluation.errors import EvaluationError
from evaluation.study import Study, StudyConfig, run, run_study
from evaluation.study.drive_unit import Driven, drive_unit
from evaluation.study.identity import locked
from evaluation.study.units import Unit
from maps.files.locks import LockedError

POLICY = "closed_loop_policies:Scripted"
OTHER = "closed_loop_policies:Sleeper"
HERE = Path(__file__).parent

Perform = Callable[..., Study]


@pytest.fixture(autouse=True)
def _policies_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


def text_of(
    policies: str = f'["{POLICY}"]',
    maps: str = "seed:3-5",
    seeds: str = "[0]",
    perturbations: str = "friction:1",
    more: str = "",
) -> str:
    return (
        f'policies = {policies}\nmaps = "{maps}"\nseeds = {seeds}\n'
        f'perturbations = "{perturbations}"\nbatch = 2\nmax_steps = 15\n{more}\n'
    )


@pytest.fixture
def perform(tmp_path: Path) -> Perform:
    def perform_study(text: str, out: str = "study", workers: int = 1, **tell: object) -> Study:
        file = tmp_path / "plan.toml"
        file.write_text(text, encoding="utf-8")
        config = StudyConfig(file, tmp_path / out, workers, quiet=True)
        return run_study(config, **tell)  # type: ignore[arg-type]

    return perform_study


@pytest.fixture
def driven(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the units that are driven."""
    names: list[str] = []

    def counted(unit: Unit) -> Driven:
        names.append(unit.name)
        return drive_unit(unit)

    monkeypatch.setattr(run, "drive_unit", counted)
    return names


def comparable(laps: pd.DataFrame) -> pd.DataFrame:
    keys = ["policy", "perturbation", "severity", "seed", "lap"]
    timeless = laps[[name for name in laps if not str(name).startswith("latency")]]
    return timeless.sort_values(keys, ignore_index=True)


def test_the_laps_are_those_that_drive_laps_drives(perform: Perform) -> None:
    study = perform(text_of(seeds="[0, 4]"))
    frames = [
        evaluation.drive_laps(
            POLICY, "seed:3-5", batch=2, seed=seed, max_steps=15, perturb="friction:1"
        )[0]
        for seed in (0, 4)
    ]
    assert_frame_equal(comparable(study.laps), comparable(pd.concat(frames)))


def test_a_finished_study_is_left_alone(perform: Perform, driven: list[str]) -> None:
    study = perform(text_of())
    assert len(driven) == len(set(driven)) == 4
    before = (study.folder / "laps.parquet").stat().st_mtime_ns
    perform(text_of())
    assert len(driven) == 4
    assert (study.folder / "laps.parquet").stat().st_mtime_ns == before
    assert (study.folder / "study.toml").read_text() == text_of()


def test_an_extended_file_drives_only_what_is_new(perform: Perform, driven: list[str]) -> None:
    first = perform(text_of(maps="seed:3-6")).laps
    driven.clear()
    larger = text_of(
        policies=f'{{ scripted = "{POLICY}", other = "{OTHER}" }}',
        maps="seed:3-7",
        seeds="[0, 1]",
        perturbations="power:2,friction:1",
    )
    everything = perform(larger).laps
    assert len(set(driven)) == len(driven) == 2 * 3 * 2 * 3 - 4
    assert not [name for name in driven if name.startswith("scripted/none-0/seed-0/00000")]
    keys = ["policy", "perturbation", "severity", "seed", "map"]
    kept = everything.merge(first[keys], on=keys)
    assert_frame_equal(kept[first.columns], first)
    assert_frame_equal(comparable(everything), comparable(perform(larger, out="anew").laps))


def test_what_the_file_no_longer_names_is_kept_and_not_reported(perform: Perform) -> None:
    told: list[str] = []
    perform(text_of(seeds="[0, 1]"))
    assert len(perform(text_of(), tell=told.append).laps) == 6
    assert told == ["4 units that the file no longer names are kept, and not reported"]
    assert len(perform(text_of(seeds="[0, 1]")).laps) == 12


@pytest.mark.slow
def test_a_killed_study_goes_on_and_comes_to_the_same(
    perform: Perform, driven: list[str], tmp_path: Path
) -> None:
    text = text_of(maps="seed:3-12", seeds="[0, 1]")
    (tmp_path / "plan.toml").write_text(text)
    command = "from evaluation.cli import main; import sys; main(sys.argv[1:])"
    arguments = ["study", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "study"), "--quiet"]
    process = subprocess.Popen(
        [sys.executable, "-c", command, *arguments],
        env={**os.environ, "PYTHONPATH": str(HERE), "OMP_NUM_THREADS": "1"},
    )
    units = tmp_path / "study" / "units"
    deadline = time.monotonic() + 120
    while len(list(units.rglob("*.json.gz"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    there = len(list(units.rglob("*.json.gz")))
    assert 3 <= there < 20
    again = perform(text)
    assert len(driven) == 20 - there
    assert_frame_equal(comparable(again.laps), comparable(perform(text, out="whole").laps))


@pytest.mark.slow
def test_workers_do_not_change_the_laps(perform: Perform) -> None:
    one, two = (perform(text_of(), out=f"{n}", workers=n).laps for n in (1, 2))
    assert_frame_equal(comparable(one), comparable(two))


@pytest.mark.parametrize("content", [b"", b"{}", b"cut"])
def test_a_damaged_unit_is_named_and_driven_anew(
    perform: Perform, driven: list[str], content: bytes
) -> None:
    study = perform(text_of())
    before = study.laps
    (victim,) = study.folder.rglob("friction-1/seed-0/00001.json.gz")
    whole = victim.read_bytes()
    victim.write_bytes(content if content != b"cut" else whole[:-9])
    (study.folder / "laps.parquet").unlink()
    driven.clear()
    told: list[str] = []
    again = perform(text_of(), tell=told.append)
    assert driven == ["scripted/friction-1/seed-0/00001"]
    assert len(told) == 1
    assert told[0].startswith(f"{victim}: damaged (")
    assert_frame_equal(comparable(again.laps), comparable(before))


def test_the_unit_of_another_seed_is_not_taken_for_this_one(
    perform: Perform, driven: list[str]
) -> None:
    study = perform(text_of(seeds="[0, 1]"))
    units = study.folder / "units" / "scripted" / "none-0"
    other = (units / "seed-1" / "00000.json.gz").read_bytes()
    (units / "seed-0" / "00000.json.gz").write_bytes(other)
    (study.folder / "laps.parquet").unlink()
    driven.clear()
    told: list[str] = []
    assert set(perform(text_of(seeds="[0, 1]"), tell=told.append).laps["seed"]) == {0, 1}
    assert driven == ["scripted/none-0/seed-0/00000"]
    assert "of another unit or version; driven anew" in told[0]


def test_another_version_of_a_policy_is_refused(perform: Perform) -> None:
    study = perform(text_of())
    file = study.folder / "study.json"
    bound = json.loads(file.read_text())
    bound["policies"]["scripted"] = "0" * 64
    file.write_text(json.dumps(bound))
    with pytest.raises(EvaluationError, match="another version of the policy scripted; give"):
        perform(text_of())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (text_of(more="steps = true"), "a study with steps False, not True"),
        (text_of().replace("batch = 2", "batch = 3"), "a study with batch 2, not 3"),
        (text_of(maps="seed:3-6"), "holds laps on seed:5 as a batch, .* add maps behind whole"),
        (text_of(maps="seed:4-6"), "holds laps on seed:3, seed:4 as a batch"),
    ],
)
def test_what_would_not_fit_the_laps_there_is_refused(
    perform: Perform, text: str, message: str
) -> None:
    perform(text_of())
    with pytest.raises(EvaluationError, match=message):
        perform(text)


def test_two_policies_of_one_name_ask_for_labels(perform: Perform) -> None:
    with pytest.raises(EvaluationError, match="are both called scripted: name them in a table"):
        perform(text_of(policies=f'["{POLICY}", "{OTHER}"]'))
    named = f'{{ one = "{POLICY}", "two/three" = "{POLICY}" }}'
    laps = perform(text_of(policies=named)).laps
    assert laps["policy"].unique().tolist() == ["one", "two/three"]


def test_a_study_that_another_process_works_on_is_refused(
    perform: Perform, tmp_path: Path, elsewhere: Callable[[AbstractContextManager[None]], None]
) -> None:
    elsewhere(locked(tmp_path / "study"))
    with pytest.raises(LockedError, match="is at work on it"):
        perform(text_of())


def test_a_folder_with_other_things_in_it_is_not_touched(perform: Perform, tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "thesis.tex").write_text("precious")
    with pytest.raises(EvaluationError, match="neither empty nor a study"):
        perform(text_of())
    assert [path.name for path in (tmp_path / "study").iterdir()] == ["thesis.tex"]


def test_steps_are_kept_where_asked_for(perform: Perform) -> None:
    study = perform(text_of(more="steps = true"))
    steps = pd.read_parquet(study.folder / "steps")
    assert len(steps) == 6 * 15
    sums = steps.groupby(["perturbation", "lap"])["reward"].sum()
    returns = study.laps.set_index(["perturbation", "lap"])["return"].sort_index()
    assert sums.to_list() == pytest.approx(returns.to_list())


def test_a_lap_takes_few_bytes(perform: Perform) -> None:
    study = perform(text_of(maps="seed:3-22").replace("batch = 2", "batch = 10"))
    sizes = [file.stat().st_size for file in study.folder.rglob("*.json.gz")]
    assert sum(sizes) / len(study.laps) < 600


def test_the_command_writes_a_report_and_says_what_is_wrong_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(text_of(maps="seed:3"))
    main(["study", str(file), "--out", str(tmp_path / "study"), "--quiet"])
    assert "report.html" in capsys.readouterr().out.replace("\n", "")
    assert (tmp_path / "study" / "report.html").is_file()
    with pytest.raises(SystemExit):
        main(["study", str(file), "--out", str(tmp_path / "study"), "--backend", "tape"])
    assert capsys.readouterr().err == "error: backend is 'tape', expected joblib, ray\n"
    with pytest.raises(SystemExit):
        main(["study", str(file), "--out", str(tmp_path / "new"), "--address", "here", "--quiet"])
    assert "address is here, but joblib" in capsys.readouterr().err
