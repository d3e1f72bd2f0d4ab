"""Windows of bearings: what is held out, what scales, and what the published code lets through."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from nsac_core.benchmarks.bearings import windows
from nsac_core.benchmarks.bearings.recordings import Bearing
from nsac_core.benchmarks.bearings.windows import Cut, held_out, leaking
from nsac_core.benchmarks.parts import Split


def bearing(name: str, rows: int, end: float, shift: float = 0.0) -> Bearing:
    """Features that say which row they are, and a label that does too."""
    time = np.linspace(0, end, rows)
    features = np.repeat(np.arange(rows)[:, None] + shift, 14, axis=1).astype(np.float64)
    return Bearing(name, features, time, (time / end) ** 2)


CUT = Cut(length=16, stride=3, test_stride=5)
TRAIN = [bearing("a", 1000, 100.0), bearing("b", 700, 100.0, shift=5000)]
TESTS = {"xjtu": bearing("c", 400, 50.0, shift=9000)}


class Unscaled:
    """In place of a scaler: leaves the columns alone, so that they still say which row they are."""

    def fit(self, _: NDArray[np.float64]) -> "Unscaled":
        return self

    def transform(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        return columns


@pytest.mark.parametrize("seed", [42, 43])
def test_validation_shares_no_row_with_training(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "StandardScaler", Unscaled)
    split = held_out(TRAIN, TESTS, CUT, seed)
    train, validation = (
        set(part.x[..., 0].int().flatten().tolist()) for part in (split.train, split.validation)
    )
    assert not train & validation
    assert train | validation <= {int(row) for b in TRAIN for row in b.features[:, 0]}
    # A tenth of the blocks of 100 rows: one of ten and one of seven.
    assert len(validation) == pytest.approx(200, abs=15)
    # Windows hold consecutive rows.
    assert (split.train.x[..., 0].diff(dim=1) == 1).all()


def test_the_label_is_that_of_the_last_row() -> None:
    part = held_out(TRAIN, TESTS, CUT, 42).tests["xjtu"]
    assert part.x.shape == (77, 16, 15)
    assert part.y[0].item() == pytest.approx(TESTS["xjtu"].label[15])
    assert part.y[1].item() == pytest.approx(TESTS["xjtu"].label[20])


def test_training_rows_alone_scale_the_columns() -> None:
    split = held_out(TRAIN, TESTS, CUT, 42)
    other = held_out(TRAIN, {"xjtu": bearing("c", 400, 50.0, shift=1e6)}, CUT, 42)
    torch.testing.assert_close(other.train.x, split.train.x)
    assert other.tests["xjtu"].x.max() > 100
    assert abs(float(split.train.x[..., 0].mean())) < 0.1


def test_without_time_there_is_no_such_column() -> None:
    without = held_out(TRAIN, TESTS, Cut(time=False), 42)
    assert without.train.x.shape[-1] == 14


def test_scaling_each_file_by_itself_tells_how_much_life_is_left() -> None:
    honest, leaked = (
        kind(TRAIN, {"short": TESTS["xjtu"], "long": TRAIN[0]}, Cut(stride=1, test_stride=1), 42)
        for kind in (held_out, leaking)
    )

    def last(split: Split, name: str) -> float:
        return float(split.tests[name].x[-1, -1, -1])

    # Scaled time at the end of a life of 50 s and of one of 100 s.
    assert last(leaked, "short") == pytest.approx(last(leaked, "long"), abs=0.01)
    assert last(honest, "short") < last(honest, "long") - 1
