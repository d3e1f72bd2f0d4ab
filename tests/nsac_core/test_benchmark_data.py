"""Data sets of the benchmarks: download, checksum, cache, splits, noise, tokens."""

import hashlib
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.model_selection import train_test_split

from nsac_core import metrics
from nsac_core.benchmarks.data_sets import SOURCES, Source, Table, fetch, load
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.parts import perturbed
from nsac_core.benchmarks.references import REFERENCES
from nsac_core.benchmarks.splits import split
from nsac_core.benchmarks.tokens import encoder

ROWS = "1 2 3\n4 5 6.5\n"
DATA = Path(os.environ.get("NSAC_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_boston = pytest.mark.skipif(
    not (DATA / "boston" / "data.txt").is_file(), reason="no Boston data; set NSAC_DATA"
)


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        """Keeps the test's output clean."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "data.txt").write_text(ROWS)
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def source_at(server: ThreadingHTTPServer, name: str = "data.txt") -> Source:
    url = f"http://127.0.0.1:{server.server_address[1]}/{name}"
    return Source("tiny", url, hashlib.sha256(ROWS.encode()).hexdigest())


def test_a_file_is_downloaded_once(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    source = source_at(server)
    assert fetch(source, tmp_path / "cache").read_text() == ROWS
    server.shutdown()
    server.server_close()
    assert fetch(source, tmp_path / "cache").read_text() == ROWS


def test_another_file_than_expected_is_refused(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    source = replace(source_at(server), sha256="0" * 64)
    with pytest.raises(BenchmarkError, match="tiny: cannot be downloaded") as fault:
        fetch(source, tmp_path / "cache")
    assert "\n" not in str(fault.value)
    assert not list((tmp_path / "cache").glob("*"))


def test_a_damaged_cache_is_downloaded_anew(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    source = source_at(server)
    fetch(source, tmp_path).write_text("1 2 broken")
    assert fetch(source, tmp_path).read_text() == ROWS


def test_a_missing_address_is_one_line(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match=r"404.*--data-dir DIR") as fault:
        fetch(source_at(server, "none.txt"), tmp_path / "cache")
    assert "\n" not in str(fault.value)


def test_a_local_copy_is_checked(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    source = source_at(server)
    with pytest.raises(BenchmarkError, match=r"tiny/data\.txt: no such file"):
        load(source, tmp_path)
    (tmp_path / "tiny").mkdir()
    copy = tmp_path / "tiny" / "data.txt"
    copy.write_text(ROWS)
    table = load(source, tmp_path)
    assert table.features.tolist() == [[1, 2], [4, 5]]
    assert table.target.tolist() == [3, 6.5]
    copy.write_text(ROWS.replace("6.5", "6.4"))
    with pytest.raises(BenchmarkError, match="has SHA-256"):
        load(source, tmp_path)


@pytest.fixture
def table() -> Table:
    rng = np.random.default_rng(0)
    return Table(rng.normal(3, 2, (100, 2)), np.arange(1.0, 101.0))


def test_a_split_is_scikit_learns_and_shares_no_row(table: Table) -> None:
    parts = split(table, 43)
    learning, test = train_test_split(np.arange(100), test_size=0.1, random_state=43)
    # The target of row i is (i + 1) / 100.
    rows = [
        (part.y.ravel() * 100 - 1).round().int().tolist()
        for part in (parts.train, parts.validation, parts.test)
    ]
    assert rows[2] == test.tolist()
    assert sorted(rows[0] + rows[1]) == sorted(learning.tolist())
    assert [len(part) for part in rows] == [81, 9, 10]
    assert parts.test.y.shape == (10, 1)


def test_features_are_scaled_by_the_training_rows_alone(table: Table) -> None:
    parts = split(table, 43)
    low, high = parts.train.x.min(0).values, parts.train.x.max(0).values
    torch.testing.assert_close(low, torch.zeros(2))
    torch.testing.assert_close(high, torch.ones(2))
    strange = train_test_split(np.arange(100), test_size=0.1, random_state=43)[1][0]
    table.features[strange] += 100
    torch.testing.assert_close(split(table, 43).train.x, parts.train.x)
    assert split(table, 43).test.x.max() > 10


def test_noise_is_of_one_pattern_and_of_the_size_asked_for() -> None:
    rng = np.random.default_rng(0)
    part = split(Table(rng.normal(size=(5000, 4)), np.ones(5000)), 0).train
    small, large = (perturbed(part, sigma, seed=7) - part.x for sigma in (0.5, 5.0))
    assert small.std().item() == pytest.approx(0.5, rel=0.02)
    torch.testing.assert_close(large, 10 * small, rtol=1e-4, atol=1e-5)


def test_tokens_hold_value_and_place() -> None:
    x = torch.tensor([[0.1, 0.2, 0.3, 0.4]])
    features, row = encoder("features", 4), encoder("row", 4)
    expected = torch.tensor([[[0.1, 0.0], [0.2, 0.25], [0.3, 0.5], [0.4, 0.75]]])
    torch.testing.assert_close(features(x), expected)
    torch.testing.assert_close(row(x), x[:, None])
    assert (features.token_dim, row.token_dim) == (2, 4)


def test_an_embedded_token_moves_along_its_features_own_line() -> None:
    tokens = encoder("embedded", 3)
    zero, one, two = (tokens(torch.full((1, 3), value)) for value in (0.0, 1.0, 2.0))
    assert zero.shape == (1, tokens.n_tokens, tokens.token_dim)
    torch.testing.assert_close(two - one, one - zero)
    lines = (one - zero)[0]
    assert torch.linalg.matrix_rank(lines) == 3  # no two features share a direction


@needs_boston
def test_the_constant_predictor_on_boston() -> None:
    table = load(SOURCES["boston"], DATA)
    errors = []
    for seed in range(42, 47):
        parts = split(table, seed)
        prediction = REFERENCES["constant"].fit(parts, seed)(parts.test.x)
        errors.append(metrics.mse(prediction, parts.test.y))
    # Computed for the paper's splits by other code; the paper's best method has 0.0301.
    assert np.mean(errors) == pytest.approx(0.0298, abs=5e-5)
    assert np.std(errors) == pytest.approx(0.0060, abs=5e-5)
