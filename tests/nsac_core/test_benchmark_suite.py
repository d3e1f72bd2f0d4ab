"""All benchmarks by one command, presets, and tests of several parts."""

from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from nsac_core.benchmarks import suite
from nsac_core.benchmarks.cells import frame, read
from nsac_core.benchmarks.config import Boston, Kin8nm
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.experiment import Presentation
from nsac_core.benchmarks.runtime.config import Runtime
from nsac_core.benchmarks.scores import pooled, score, separate
from nsac_core.benchmarks.spiral.config import Spiral
from nsac_core.benchmarks.suite import run_all
from nsac_core.benchmarks.suite_config import AnyConfig, Name, Suite
from nsac_core.benchmarks.tables import sheets
from nsac_core.cli import main
from nsac_core.methods import Prediction


def test_the_quick_preset_changes_what_is_left_as_it_is() -> None:
    quick = Boston(preset="quick").resolved()
    assert (quick.seeds, quick.epochs, quick.out) == (2, 30, Path("runs/bench/quick/boston"))
    own = Boston(preset="quick", epochs=7, out=Path("mine")).resolved()
    assert (own.seeds, own.epochs, own.out) == (2, 7, Path("mine"))
    assert Boston().resolved() == Boston()
    assert Runtime(preset="quick", repeats=4).resolved().repeats == 4


def test_presets_and_seeds_change_no_cell() -> None:
    assert Boston(preset="quick").decisive() == Boston(seeds=2, workers=2).decisive()
    assert Boston(epochs=3).decisive() != Boston().decisive()


def test_a_suite_gives_each_benchmark_what_it_takes() -> None:
    found = Suite(workers=2, data_dir=Path("data"), out=Path("here")).configs()
    assert set(found) == set(get_args(Name))
    assert (
        found["kin8nm"]
        == Kin8nm(
            preset="quick", workers=2, data_dir=Path("data"), out=Path("here/kin8nm")
        ).resolved()
    )
    assert found["runtime"].out == Path("here/runtime")
    spiral = Suite(benchmarks=("spiral",), preset="paper").configs()["spiral"]
    assert spiral == Spiral()


def test_a_benchmark_that_cannot_run_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = []

    def fake(config: AnyConfig) -> None:
        ran.append(config.data_set)
        if config.data_set == "kin8nm":
            raise BenchmarkError("kin8nm: cannot be downloaded")

    monkeypatch.setattr(suite, "benchmark", fake)
    faults = [outcome.fault for outcome in run_all(Suite(benchmarks=("kin8nm", "spiral")))]
    assert ran == ["kin8nm", "spiral"]
    assert faults == ["kin8nm: cannot be downloaded", None]
    with pytest.raises(SystemExit):
        main(["all", "--benchmarks", "kin8nm", "spiral"])
    shown = capsys.readouterr()
    assert "kin8nm: kin8nm: cannot be downloaded" in shown.out
    assert "spiral: wrote runs/bench/quick/spiral" in shown.out
    assert shown.err == "error: not all benchmarks ran: kin8nm\n"
    with pytest.raises(BenchmarkError, match="no benchmark given"):
        list(run_all(Suite(benchmarks=())))


def test_rows_may_be_of_several_parts_or_of_none() -> None:
    values = torch.arange(8.0).view(4, 2)
    rows = frame(Prediction(values, values, values), values, 0.0, ["a", "", "b", "a"])
    assert rows["part"].tolist() == ["a", "a", "b", "b", "a", "a"]
    assert rows["y"].tolist() == [0, 1, 4, 5, 6, 7]


def test_a_cell_of_before_there_were_parts_is_read(tmp_path: Path) -> None:
    file = tmp_path / "gmle-42.parquet"
    values = torch.ones(3, 1)
    whole = frame(Prediction(values, values, values), values, 0.0)
    old = whole.drop(columns="part").assign(model="gmle", seed=42)
    metadata = {b"nsac-bench": b'{"seconds": 2.0}'}
    table = pa.Table.from_pandas(old, preserve_index=False)
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **metadata}), file)
    rows, facts = read(file)
    assert rows["part"].tolist() == ["test"] * 3
    assert facts == {"seconds": 2.0}


@pytest.fixture
def predictions() -> pd.DataFrame:
    """Errors of 0.1 on three rows of one part and of 0.3 on one row of another."""
    y = torch.zeros(4, 1)
    mean = torch.tensor([[0.1], [0.1], [0.1], [0.3]])
    ones = torch.ones(4, 1)
    parts = ["near", "near", "near", "far"]
    frames = [frame(Prediction(mean, ones, ones), y, sigma, parts) for sigma in (0.0, 1.0)]
    return pd.concat([f.assign(model="gmle", seed=42) for f in frames], ignore_index=True)


def test_parts_are_scored_apart_and_pooled(predictions: pd.DataFrame) -> None:
    facts = pd.DataFrame({"model": ["gmle"], "seed": [42], "seconds": [1.0]})
    rows = pooled(predictions, {"all": ("near", "far")})
    scores = score(rows, facts).set_index("part")["mse"]
    np.testing.assert_allclose(scores[["near", "far", "all"]], [0.01, 0.09, 0.03], rtol=1e-6)
    assert set(separate(rows)["part"]) == {"near", "far", "all"}


def test_each_part_has_a_table_beside_the_papers_where_it_is_there(
    predictions: pd.DataFrame,
) -> None:
    facts = pd.DataFrame({"model": ["gmle"], "seed": [42], "seconds": [1.0]})
    shown = Presentation(main="near", published={"near": "xjtu", "far": "hust"})
    found = sheets("bearings", score(predictions, facts), separate(predictions), shown)
    by_name = {sheet.name: sheet for sheet in found}
    assert "| 0.0100 ± 0.0000 | 0.0221 ± 0.0022 |" in by_name["scores"].markdown()
    assert "| 0.0900 ± 0.0000 | 0.0079 ± 0.0034 |" in by_name["scores_far"].markdown()
