"""Run time: what is measured, by whom, beside what."""

import json
from pathlib import Path

import numpy as np
import pytest
from torch import nn

from nsac_core import methods
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.registry import benchmark, report
from nsac_core.benchmarks.report import Report
from nsac_core.benchmarks.runtime.config import Runtime
from nsac_core.benchmarks.runtime.processes import Contestant, ContestantError
from nsac_core.cli import main


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Report:
    out = tmp_path_factory.mktemp("runs") / "runtime"
    return benchmark(
        Runtime(
            methods=("nsac", "sde_net"),
            length=30,
            samples=(1, 4),
            positions=("all",),
            devices=("cpu",),
            repeats=2,
            out=out,
            quiet=True,
        )
    )


def test_every_method_and_number_of_passes_is_timed(measured: Report) -> None:
    counts = measured.scores.groupby(["model", "samples"]).size()
    assert counts.to_dict() == {
        (name, samples): 2 for name in ("nsac", "sde_net") for samples in (1, 4)
    }
    assert (measured.scores["seconds"] > 0).all()
    rates = measured.scores["sequences_per_second"] * measured.scores["seconds"]
    np.testing.assert_allclose(rates, 1)


def test_parameters_are_those_of_the_methods(measured: Report) -> None:
    nsac = methods.build("nsac", nn.Identity(), 1, 1, model_dim=32, heads=4)
    trained = sum(p.numel() for p in nsac.parameters())
    masks = sum(mask.numel() for mask in nsac.buffers())
    rows = measured.scores[measured.scores["model"] == "nsac"]
    assert set(rows["trained"]) == {trained}
    assert set(rows["held"]) == {trained + masks}
    assert masks > 0


def test_the_table_stands_beside_the_papers(measured: Report) -> None:
    (sheet,) = measured.sheets
    assert sheet.name == "cpu_all"
    lines = sheet.markdown().splitlines()
    assert "14.14 ± 0.46 | 75.94 | 37278" in lines[2]
    assert lines[3].startswith("| SDE-Net |")
    assert lines[3].endswith("| - | - | - |")
    assert report(measured.folder).sheets == measured.sheets


def test_a_contestant_that_ends_is_noticed(tmp_path: Path) -> None:
    ending = tmp_path / "python"
    ending.write_text("#!/bin/sh\nexit 0\n")
    ending.chmod(0o755)
    with Contestant(ending, "ours") as worker, pytest.raises(ContestantError, match="ended during"):
        worker.ask({"length": 3}, calls=1)


def test_the_command_writes_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--methods", "gmle", "--length", "5", "--samples", "1", "--positions", "last"]
    places = ["--out", str(tmp_path / "run"), "--json", str(tmp_path / "r.json"), "--quiet"]
    main(["runtime", *options, "--devices", "cpu", "--repeats", "2", *places])
    assert "| GMLE |" in capsys.readouterr().out
    (record,) = json.loads((tmp_path / "r.json").read_text())["scores"]
    assert len(record["seconds"]["values"]) == 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (Runtime(methods=("nsca",)), r"no method 'nsca'; did you mean nsac\? there are all, nsac"),
        (Runtime(heads=5), "width 32 is not a multiple of heads 5"),
        (Runtime(samples=(0,)), "samples must be"),
        (Runtime(positions=()), "positions names none"),
        (Runtime(devices=()), "devices names none"),
        (Runtime(repeats=0), "repeats must be at least 1"),
    ],
)
def test_what_cannot_be_measured_is_refused(config: Runtime, message: str) -> None:
    with pytest.raises(BenchmarkError, match=message):
        config.check()
