"""A whole benchmark of a tiny table: run, interrupted, resumed, reported, on a page."""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nsac_core.benchmarks import config as configurations
from nsac_core.benchmarks.data_sets import SOURCES
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.page import fill
from nsac_core.benchmarks.progress import Scratch
from nsac_core.benchmarks.report import Report, report
from nsac_core.benchmarks.tabular import benchmark
from nsac_core.cli import main
from nsac_core.fitting import Epoch
from nsac_core.methods import METHODS

FILES = {"predictions.parquet", "facts.parquet", "scores.parquet", "separation.parquet"}
SHOWN = {"tables.md", "tables.tex", "figure.png", "figure.svg"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """80 rows of three features in place of Boston's, and their checksum in place of its."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(80, 3))
    y = x[:, 0] + 0.1 * rng.normal(size=80) + 1
    (folder / "boston").mkdir()
    np.savetxt(folder / "boston" / "data.txt", np.column_stack([x, y]))
    digest = hashlib.sha256((folder / "boston" / "data.txt").read_bytes()).hexdigest()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SOURCES, "boston", replace(SOURCES["boston"], sha256=digest))
        yield folder


@pytest.fixture(scope="module")
def tiny(data: Path, tmp_path_factory: pytest.TempPathFactory) -> configurations.Boston:
    out = tmp_path_factory.mktemp("runs") / "boston"
    return configurations.Boston(
        seeds=2, epochs=2, sigmas=(0.5, 5.0), data_dir=data, out=out, quiet=True
    )


@pytest.fixture(scope="module")
def finished(tiny: configurations.Boston) -> Report:
    """A run of everything."""
    return benchmark(tiny)


@pytest.fixture(scope="module")
def run_folder(finished: Report) -> Path:
    return finished.folder


def test_every_method_and_reference_is_in_the_tables(
    tiny: configurations.Boston, run_folder: Path
) -> None:
    scores = pd.read_parquet(run_folder / "scores.parquet")
    assert set(scores["model"]) == {*METHODS, *tiny.references, "nsac_lambda_0"}
    assert (scores.groupby("model").size() == 2).all()
    assert np.isfinite(scores[["mse", "nll", "crps", "ece", "auroc"]].to_numpy()).all()
    predictions = pd.read_parquet(run_folder / "predictions.parquet")
    assert (predictions.groupby(["model", "seed", "sigma"]).size() == 8).all()
    assert {file.name for file in run_folder.iterdir()} == {*FILES, *SHOWN, "run.json", "cells"}


def test_scores_agree_with_the_rows_they_are_made_from(run_folder: Path) -> None:
    rows = pd.read_parquet(run_folder / "predictions.parquet").query("sigma == 0")
    errors = ((rows["mean"] - rows["y"]) ** 2).groupby([rows["model"], rows["seed"]]).mean()
    scores = pd.read_parquet(run_folder / "scores.parquet").set_index(["model", "seed"])
    pd.testing.assert_series_equal(
        scores["mse"].sort_index(), errors.sort_index(), check_names=False, rtol=1e-5
    )


def test_a_report_needs_no_cells_and_comes_out_the_same(run_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run_folder, copy, ignore=shutil.ignore_patterns("cells", "figure*", "tables*"))
    report(copy)
    for name in SHOWN:
        assert (copy / name).read_bytes() == (run_folder / name).read_bytes()


def test_more_seeds_and_methods_may_be_asked_of_a_run(
    tiny: configurations.Boston, tmp_path: Path
) -> None:
    few = replace(tiny, methods=("ridge",), seeds=1, out=tmp_path / "run")
    benchmark(few)
    found = benchmark(replace(few, methods=("constant",), seeds=2))
    assert found.scores[["model", "seed"]].to_numpy().tolist() == [
        ["constant", 42],
        ["constant", 43],
        ["ridge", 42],
    ]


@pytest.mark.slow
def test_processes_do_not_change_the_results(
    tiny: configurations.Boston, run_folder: Path, tmp_path: Path
) -> None:
    methods = ("ridge", "gmle")
    two = replace(tiny, methods=methods, seeds=1, workers=2, out=tmp_path / "run")
    benchmark(two)
    for name in methods:
        file = f"cells/{name}-42.parquet"
        alone, together = (pd.read_parquet(folder / file) for folder in (run_folder, two.out))
        pd.testing.assert_frame_equal(together, alone)


def test_an_interrupted_training_goes_on_to_the_same_result(
    tiny: configurations.Boston, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = replace(tiny, methods=("mc_dropout",), seeds=1, out=tmp_path / "run")

    def interrupt(self: Scratch, epoch: Epoch) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Scratch, "__call__", interrupt)
        with pytest.raises(KeyboardInterrupt):
            benchmark(one)
    assert (one.out / "cells" / "mc_dropout-42.state").is_file()
    benchmark(one)
    columns = ["sigma", "row", "mean", "aleatoric", "epistemic"]
    whole = pd.read_parquet(run_folder / "cells" / "mc_dropout-42.parquet")
    resumed = pd.read_parquet(one.out / "cells" / "mc_dropout-42.parquet")
    pd.testing.assert_frame_equal(resumed[columns], whole[columns])


def test_a_row_as_one_token_leaves_nsac_without_doubt(
    tiny: configurations.Boston, tmp_path: Path
) -> None:
    config = replace(tiny, methods=("nsac",), lambdas=(), seeds=1, tokens="row", epochs=1)
    with pytest.warns(UserWarning, match="length 1"):
        found = benchmark(replace(config, out=tmp_path / "run"))
    assert found.separation["epistemic_ood"].tolist() == [0.0, 0.0]


def test_the_command_writes_json_and_resumes(
    tiny: configurations.Boston,
    run_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--seeds", "2", "--epochs", "2", "--sigmas", "0.5", "5", "--out", str(run_folder)]
    data = ["--data-dir", str(tiny.data_dir), "--json", str(tmp_path / "s.json"), "--quiet"]
    before = (run_folder / "cells" / "nsac-42.parquet").stat().st_mtime_ns
    main(["boston", *options, *data])
    assert (run_folder / "cells" / "nsac-42.parquet").stat().st_mtime_ns == before
    assert "| NSAC |" in capsys.readouterr().out
    summary = json.loads((tmp_path / "s.json").read_text())
    nsac = next(record for record in summary["scores"] if record["model"] == "nsac")
    assert nsac["mse"]["mean"] == pytest.approx(np.mean(nsac["mse"]["values"]))
    assert summary["settings"]["epochs"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["boston", "--methods", "nsca"], "no method 'nsca'"),
        (["boston", "--seeds", "0"], "seeds must be at least 1"),
        (["kin8nm", "--data-dir", "nowhere"], "nowhere/kin8nm/data.txt: no such file"),
        (["report", "nowhere"], "nowhere: is not the folder of a run"),
        (["page", "nowhere.md"], "nowhere.md: no such page"),
    ],
)
def test_a_fault_is_one_line_and_status_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1


def test_a_page_gets_its_tables_and_keeps_its_words(finished: Report, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    blocks = "".join(
        f"<!-- begin boston/{name} -->\nformer\n<!-- end -->\n" for name in ("scores", "figure")
    )
    page.write_text(f"# Mine\n\n{blocks}\nLast words.\n")
    fill(page, [finished])
    text = page.read_text()
    assert text.startswith("# Mine\n")
    assert text.endswith("\nLast words.\n")
    assert "former" not in text
    assert "| NSAC |" in text
    assert (tmp_path / "boston.svg").is_file()
    fill(page, [finished])
    assert page.read_text() == text


def test_a_page_keeps_the_blocks_of_other_runs(finished: Report, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    other = "<!-- begin elsewhere/scores -->\nkept\n<!-- end -->\n"
    page.write_text(f"{other}<!-- begin boston/scores -->\nformer\n<!-- end -->\n")
    assert fill(page, [finished]) == ["elsewhere/scores"]
    assert page.read_text().startswith(other)
    assert "former" not in page.read_text()


def test_a_page_that_asks_for_what_no_run_has(finished: Report, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- begin boston/colours -->\n<!-- end -->\n")
    with pytest.raises(BenchmarkError, match=r"no run has 'boston/colours'; .*there are boston/"):
        fill(page, [finished])


def test_the_page_of_the_repository_can_be_filled(finished: Report, tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "docs" / "results" / "tabular.md"
    page = tmp_path / "tabular.md"
    # The tiny run in place of both.
    text = source.read_text(encoding="utf-8")
    page.write_text(
        re.sub(r"begin (kin8nm|\w+_features)/", "begin boston/", text), encoding="utf-8"
    )
    fill(page, [finished])
    assert page.read_text(encoding="utf-8").count("| NSAC |") >= 2
