"""Cells: done once, the longest first, refused under other settings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from nsac_core.benchmarks.cells import Cell, Result, file_of, frame, prediction_of, read
from nsac_core.benchmarks.contenders import Contender, contenders, order, title
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.progress import Scratch
from nsac_core.benchmarks.runner import run, settings_of
from nsac_core.fit_config import FittingError
from nsac_core.fitting import Epoch
from nsac_core.methods import METHODS, Prediction

SETTINGS = {"data_set": "tiny", "epochs": 3, "sigmas": [0.5]}


def cells(*costs: float) -> list[Cell]:
    return [Cell(Contender(f"m{n}", None, cost=cost), 42) for n, cost in enumerate(costs)]


def prediction(value: float) -> Prediction:
    ones = torch.ones(3, 2)
    return Prediction(value * ones, 0.25 * ones, 0.125 * ones)


def work(cell: Cell, scratch: Scratch) -> Result:
    return Result(frame(prediction(cell.cost), torch.zeros(3, 2), 0.0), {"seconds": cell.cost})


class Recorder:
    """Does the work and notes on what; one cell may fail."""

    def __init__(self, failing: str = "") -> None:
        self.done: list[str] = []
        self.failing = failing

    def __call__(self, cell: Cell, scratch: Scratch) -> Result:
        self.done.append(cell.name)
        if cell.contender.name == self.failing:
            raise FittingError("the training loss is nan in epoch 2")
        return work(cell, scratch)


Runner = Callable[..., None]


@pytest.fixture
def quietly(tmp_path: Path) -> Runner:
    def start(cells: list[Cell], work: Any = work, **options: Any) -> None:  # noqa: ANN401
        run(tmp_path / "run", cells, options.pop("settings", SETTINGS), work, quiet=True, **options)

    return start


def test_the_longest_cells_start_first_and_none_is_done_twice(quietly: Runner) -> None:
    recorder = Recorder()
    quietly(cells(1.0, 3.0), recorder)
    quietly(cells(1.0, 3.0, 2.0, 5.0), recorder)
    assert recorder.done == ["m1-42", "m0-42", "m3-42", "m2-42"]


def test_a_cell_is_a_file_of_rows_and_facts(quietly: Runner, tmp_path: Path) -> None:
    three = cells(1.0, 3.0, 2.0)
    quietly(three)
    for cell in three:
        rows, facts = read(file_of(tmp_path / "run", cell))
        assert rows["mean"].unique().tolist() == [cell.cost]
        assert rows["model"].unique().tolist() == [cell.contender.name]
        assert facts == {"seconds": cell.cost}
    assert {file.suffix for file in (tmp_path / "run" / "cells").iterdir()} == {".parquet"}


def test_other_settings_are_refused_by_name(quietly: Runner, tmp_path: Path) -> None:
    quietly(cells(1.0))
    with pytest.raises(BenchmarkError, match="epochs 3, not 4; choose another --out"):
        quietly(cells(1.0), settings={**SETTINGS, "epochs": 4})
    assert settings_of(tmp_path / "run") == SETTINGS


def test_a_folder_of_something_else_is_refused(quietly: Runner, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").touch()
    with pytest.raises(BenchmarkError, match="neither empty nor a run"):
        quietly(cells(1.0))


def test_a_diverging_cell_stops_no_other(quietly: Runner) -> None:
    recorder = Recorder(failing="m1")
    with pytest.raises(BenchmarkError, match=r"1 of 3 cells failed, first m1-42: .* nan in epoch"):
        quietly(cells(1.0, 3.0, 2.0), recorder)
    assert len(recorder.done) == 3
    recorder.failing = ""
    quietly(cells(1.0, 3.0, 2.0), recorder)
    assert recorder.done[3:] == ["m1-42"]


def test_progress_counts_epochs(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "m0-42.parquet")
    assert scratch.epochs() == 0
    scratch(Epoch(7, 1e-3, {}, {}, 1.0, best=True))
    assert Scratch(tmp_path / "m0-42.parquet").epochs() == 7
    scratch.remove()
    assert not list(tmp_path.iterdir())


def test_a_prediction_survives_its_table() -> None:
    torch.manual_seed(0)
    values = [torch.rand(5, 3) for _ in range(4)]
    found, y = prediction_of(frame(Prediction(*values[:3]), values[3], 0.5))
    for before, after in zip(values, (*vars(found).values(), y), strict=True):
        torch.testing.assert_close(after, before, rtol=0, atol=0)


def test_all_stands_for_methods_references_and_lambdas() -> None:
    names = [contender.name for contender in contenders(("all",), (0.0, 5.0))]
    assert names[: len(METHODS)] == list(METHODS)
    assert names[-2:] == ["nsac_lambda_0", "nsac_lambda_5"]
    assert sorted(names, key=order)[:3] == ["nsac", "nsac_lambda_0", "nsac_lambda_5"]
    assert [title(name) for name in names[-2:]] == ["NSAC, lambda 0", "NSAC, lambda 5"]


def test_lambdas_need_nsac() -> None:
    assert [c.name for c in contenders(("gp", "gmle"), (0.0,))] == ["gmle", "gp"]


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(
        BenchmarkError, match=r"'nsca'; did you mean nsac\? there are all, nsac, gmle"
    ):
        contenders(("nsca",), ())
