"""A whole tiny comparison of drivers: the same labels, parts and laps for all; what is kept."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation.cli import main
from evaluation.comparison import clones as cloning
from evaluation.comparison.clones import Clone, clones_of
from evaluation.comparison.config import ComparisonConfig, Corrections
from evaluation.comparison.recording import NAME, parts
from evaluation.comparison.study import compare
from evaluation.errors import EvaluationError
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.metrics import METRICS
from policies import PolicyError, checkpoint, demonstrations

pytestmark = pytest.mark.slow

LABELS = 130
ROUNDS = 2
TINY = ComparisonConfig(
    expert="privileged",
    methods=("gmle", "nsac"),
    arms=("plain", "dagger", "colours"),
    seeds=2,
    episodes=4,
    validation_episodes=1,
    test_episodes=1,
    epochs=1,
    recoloured_epochs=1,
    dagger=Corrections(rounds=ROUNDS, labels=LABELS, epochs=1, final_epochs=1),
    tracks="short,oval",
    renderer="fast",
    max_steps=40,
    quiet=True,
)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> ComparisonConfig:
    """A whole comparison, its report written into a page."""
    folder = tmp_path_factory.mktemp("comparison")
    page = folder / "page.md"
    page.write_text(
        "".join(
            f"<!-- begin {name} -->\n<!-- end -->\n"
            for name in ("data", "driving_dagger", "figure_overview", "selective")
        )
    )
    config = dataclasses.replace(TINY, out=folder / "study", page=page)
    compare(config, lambda _: None)
    return config


def test_every_clone_had_as_many_labels(study: ComparisonConfig) -> None:
    demonstrated = parts(study)
    given = demonstrated.training.steps + demonstrated.validation.steps
    for clone in clones_of(study):
        header, _ = checkpoint.read(clone.file(study))
        corrections = 0 if clone.arm == "plain" else ROUNDS * LABELS
        assert header.data["steps"] == given + corrections
        assert header.method == clone.method


def test_no_clone_has_seen_a_test_episode(study: ComparisonConfig) -> None:
    found = parts(study)
    sides = [
        {episode.index for episode in part.episodes}
        for part in (found.training, found.validation, found.test)
    ]
    assert [len(side) for side in sides] == [2, 1, 1]
    assert len(set.union(*sides)) == 4
    header, _ = checkpoint.read(Clone("plain", "gmle", 0).file(study))
    seen = dataclasses.replace(
        found.training, episodes=found.training.episodes + found.validation.episodes
    )
    assert header.data["fingerprint"] == seen.fingerprint()


def test_recoloured_clones_learn_what_the_corrected_ones_learned(study: ComparisonConfig) -> None:
    fingerprints = [
        checkpoint.read(Clone(arm, "gmle", 1).file(study))[0].data["fingerprint"]
        for arm in ("dagger", "colours")
    ]
    assert fingerprints[0] == fingerprints[1]
    facts = json.loads((study.out / "data.json").read_text())
    assert facts["fingerprint"] == demonstrations.load(NAME, study.data_root).fingerprint()


def test_lost_corrections_are_named(study: ComparisonConfig, tmp_path: Path) -> None:
    copy = dataclasses.replace(study, out=tmp_path / "copy")
    shutil.copytree(study.out, copy.out, ignore=shutil.ignore_patterns("dagger", "colours"))
    shutil.copytree(study.clones_folder / "dagger", copy.clones_folder / "dagger")
    with pytest.raises(EvaluationError, match="round1-part0-v0: no such corrections"):
        compare(dataclasses.replace(copy, stages=("clone",)), lambda _: None)


def test_every_score_of_every_clone_is_there(study: ComparisonConfig) -> None:
    scores = pd.read_parquet(study.out / "open_loop.parquet")
    assert len(scores) == 3 * 2 * 2 * 4 * len(METRICS)
    wide = scores[scores["metric"] == "mse"].pivot(
        index=["arm", "method", "seed"], columns="action", values="value"
    )
    assert np.allclose(wide["overall"], wide[["steer", "gas", "brake"]].mean(axis=1))


def test_all_clones_drive_the_same_laps(study: ComparisonConfig) -> None:
    for arm in study.arms:
        laps = pd.read_parquet(study.out / "runs" / arm / "laps.parquet")
        assert set(laps["policy"]) == {"gmle-0", "gmle-1", "nsac-0", "nsac-1"}
        assert (laps.groupby("policy")["map"].agg(list).map(tuple) == ("short", "oval")).all()
    ceilings = pd.read_parquet(study.out / "runs" / "ceilings" / "laps.parquet")
    assert list(ceilings["policy"]) == ["privileged", "privileged"]


def test_the_page_holds_the_tables(study: ComparisonConfig) -> None:
    assert study.page is not None
    text = study.page.read_text()
    facts = json.loads((study.out / "data.json").read_text())
    assert facts["recipe"] in text
    assert "| NSAC | 4 |" in text
    assert (study.page.parent / "driving_overview.svg").is_file()
    report = (study.out / "report" / "tables.md").read_text()
    assert "the dagger clones from the plain ones" in report
    assert "the colours clones from the dagger ones" in report
    assert "0.0154 ± 0.0064" in report  # the paper's MSE of NSAC


def test_what_is_done_is_not_done_again(
    study: ComparisonConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cloning, "_train", lambda *_: pytest.fail("trained again"))
    before = {file: file.stat().st_mtime_ns for file in study.out.rglob("*.safetensors")}
    compare(dataclasses.replace(study, stages=("record", "clone", "open-loop")), lambda _: None)
    assert before == {file: file.stat().st_mtime_ns for file in before}


def test_other_settings_are_refused(study: ComparisonConfig) -> None:
    with pytest.raises(BenchmarkError, match="holds a run with epochs 1, not 2"):
        compare(dataclasses.replace(study, epochs=2), lambda _: None)


def test_given_clones_are_driven_without_training(
    study: ComparisonConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        *("drivers", "--out", str(tmp_path / "again"), "--clones", str(study.out / "clones")),
        *("--methods", "gmle", "--arms", "plain", "--seeds", "2", "--expert", "privileged"),
        *("--stages", "drive", "report", "--tracks", "short,oval", "--renderer", "fast"),
        *("--max-steps", "40", "--quiet"),
    ]
    main(arguments)
    assert "GMLE" in capsys.readouterr().out
    assert not (tmp_path / "again" / "clones").exists()
    again = pd.read_parquet(tmp_path / "again" / "runs" / "plain" / "laps.parquet")
    before = pd.read_parquet(study.out / "runs" / "plain" / "laps.parquet")
    before = before[before["policy"].str.startswith("gmle")].reset_index(drop=True)
    assert again["return"].tolist() == before["return"].tolist()


def test_a_missing_clone_is_named(study: ComparisonConfig, tmp_path: Path) -> None:
    config = dataclasses.replace(
        study, out=tmp_path / "other", clones=tmp_path, stages=("drive",), page=None
    )
    with pytest.raises(PolicyError, match=r"plain/nsac-0\.safetensors: no such checkpoint"):
        compare(config, lambda _: None)
