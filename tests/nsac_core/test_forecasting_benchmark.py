"""The benchmark of a series, from the command line to tables and Figure 4."""

import json
import lzma
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from matplotlib import pyplot as plt

from nsac_core import cli
from nsac_core.benchmarks.forecasting.figure import known_before, window_at
from nsac_core.benchmarks.forecasting.presentation import in_degrees
from nsac_core.benchmarks.forecasting.readers import JENA_VARIABLES
from nsac_core.benchmarks.forecasting.tokens import PatchTokens, StepTokens


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up station: a day's warmth, a little noise, and a pressure that follows it."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    times = pd.date_range("2020-01-01", periods=1500, freq="10min")
    warmth = 10 * np.sin(2 * np.pi * np.arange(1500) / 144) + rng.normal(0, 0.2, 1500)
    table = pd.DataFrame({name: rng.normal(size=1500) for name in JENA_VARIABLES[:-1]})
    table.insert(1, "T (degC)", warmth)
    table["p (mbar)"] = 1000 - warmth
    table.loc[700, "wv (m/s)"] = -9999.0
    table.insert(0, "date", times.strftime("%Y-%m-%d %H:%M:%S"))
    (folder / "jena").mkdir()
    text = table.to_csv(index=False).encode()
    (folder / "jena" / "mpi_roof_2020.csv.xz").write_bytes(lzma.compress(text))
    return folder


@pytest.fixture(scope="module")
def run(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "jena"
    cli.main(
        [
            *("jena", "--data-dir", str(data_dir), "--out", str(out), "--rows", "1500", "--quiet"),
            *("--methods", "nsac", "sde_net", "persistence", "seasonal_naive", "linear"),
            *("--seeds", "2", "--epochs", "3", "--stride", "2", "--sigmas", "1"),
        ]
    )
    return out


def test_a_run_scores_methods_beside_what_anybody_would_try(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet").groupby("model")["mse"].mean()
    assert scores["nsac"] < scores["persistence"]
    assert scores["linear"] < scores["persistence"]
    # A day before has the same warmth and noise of its own: twice the variance of the noise.
    settings = json.loads((run / "run.json").read_text())
    unit = settings["high"] - settings["low"]
    assert scores["seasonal_naive"] * unit**2 == pytest.approx(2 * 0.2**2, rel=0.15)
    assert settings["faults"] == ["wv (m/s) missing at 2020-01-05 20:40"]
    assert settings["target"] == "T (degC)"


def test_tables_tell_degrees_the_error_by_lead_and_what_was_wrong(run: Path) -> None:
    text = (run / "tables.md").read_text()
    assert "| method | RMSE / °C | MSE against persistence / % |" in text
    assert "| method | 0.167 h | 0.667 h | 1.33 h | 2.67 h | 4 h |" in text
    assert "| wrong in these rows | wv (m/s) missing at 2020-01-05 20:40 |" in text
    rows = [line for line in text.splitlines() if line.startswith("| persistence |")]
    assert any("| 0.000 ± 0.000 |" in row for row in rows)
    assert plt.imread(run / "forecasts.png").std() > 0.05


def test_another_file_is_not_gone_on_with(run: Path, data_dir: Path, tmp_path: Path) -> None:
    table = lzma.decompress((data_dir / "jena" / "mpi_roof_2020.csv.xz").read_bytes())
    (tmp_path / "jena").mkdir()
    (tmp_path / "jena" / "other.csv").write_bytes(table.replace(b"-9999", b"1"))
    with pytest.raises(SystemExit) as stop:
        cli.main(
            [
                *("jena", "--data-dir", str(tmp_path), "--out", str(run), "--rows", "1500"),
                *("--epochs", "3", "--stride", "2", "--sigmas", "1", "--quiet"),
            ]
        )
    assert stop.value.code == 2


def test_scores_in_degrees_are_those_of_degrees() -> None:
    scaled = {"model": "a", "seed": 1, "mse": 0.04, "mae": 0.1, "nll": -1.0, "crps": 0.05}
    found = in_degrees(pd.DataFrame([{**scaled, "width_90": 0.5}]), 20.0).iloc[0]
    assert found["rmse"] == pytest.approx(4)
    assert found["mae"] == pytest.approx(2)
    assert found["crps"] == pytest.approx(1)
    assert found["width_90"] == pytest.approx(10)
    # A density of degrees is 1/20 of that of scaled values.
    assert found["nll"] == pytest.approx(-1 + np.log(20))


def test_the_look_back_shown_is_what_came_before() -> None:
    series = np.random.default_rng(0).normal(size=400)
    starts = np.r_[0:100, 130:376]  # thirty windows were left out
    y = np.stack([series[start : start + 24] for start in starts])
    for place in (0.0, 0.25, 0.5, 1.0):
        window = window_at(y, place)
        start = starts[window]
        np.testing.assert_array_equal(known_before(y, window), series[start - 48 : start])
    assert window_at(y, 1.0) == len(y) - 1


def test_patches_do_not_see_where_the_series_stands_but_by_the_level() -> None:
    torch.manual_seed(0)
    patches = PatchTokens(3, level=True)
    x = torch.randn(2, 144, 3)
    tokens = patches(x)
    assert tokens.shape == (2, patches.n_tokens, patches.token_dim) == (2, 12, 64)
    higher = patches(x + 5) - tokens
    assert patches.level is not None
    expected = 5 * patches.level.weight.sum(dim=1)
    torch.testing.assert_close(higher, expected.expand_as(higher), rtol=1e-4, atol=1e-4)
    changes = PatchTokens(3, level=False)
    torch.testing.assert_close(changes(x + 5), changes(x), rtol=1e-4, atol=1e-4)
    x[:, :-48] = 0  # the day before is for the references
    torch.testing.assert_close(patches(x), tokens)


def test_a_patch_is_four_steps() -> None:
    torch.manual_seed(0)
    patches = PatchTokens(3, level=True)
    x = torch.randn(1, 144, 3)
    changed = x.clone()
    changed[:, -48 + 4 * 5 + 2] += 1
    moved = (patches(changed) - patches(x)).abs().sum(dim=(0, 2)) > 1e-4
    assert moved.nonzero().flatten().tolist() == [5]


def test_steps_are_the_variables_as_they_are() -> None:
    x = torch.randn(2, 96, 7)
    torch.testing.assert_close(StepTokens(7)(x), x[:, 48:])
