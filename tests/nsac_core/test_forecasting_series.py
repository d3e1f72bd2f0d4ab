"""Series of the forecasting benchmarks: files, cleaning, windows."""

import lzma
import os
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting import sources
from nsac_core.benchmarks.forecasting.readers import (
    JENA_VARIABLES,
    read_ettm1,
    read_jena,
    unpacked,
)
from nsac_core.benchmarks.forecasting.series import Series, cleaned
from nsac_core.benchmarks.forecasting.sources import ettm1, jena
from nsac_core.benchmarks.forecasting.windows import left_out, restored, scale_of, split
from nsac_core.methods import Prediction

DATA = Path(os.environ.get("NSAC_DATA", Path(__file__).parents[3] / "shared" / "data"))
TEN_MINUTES = np.timedelta64(10, "m")
needs_jena = pytest.mark.skipif(not (DATA / "jena").is_dir(), reason="no Jena data; set NSAC_DATA")
needs_ett = pytest.mark.skipif(not (DATA / "ett").is_dir(), reason="no ETTm1; set NSAC_DATA")


def jena_file(clock: str, times: list[str], temperatures: list[float]) -> bytes:
    """A file of Jena's whose other variables are 0; the unit of the last is not valid UTF-8."""
    names = ["p (mbar)", "T (degC)", *JENA_VARIABLES[1:-1], "SWDR (W/m\xb2)"]
    lines = [",".join([clock, *names])]
    for time, temperature in zip(times, temperatures, strict=True):
        lines.append(",".join([time, "0", str(temperature), *["0"] * 13]))
    return "\r\n".join(lines).encode("latin-1")


def series(rows: int, step: np.timedelta64 = TEN_MINUTES) -> Series:
    """A series whose target counts its rows, beside one that counts in tens."""
    times = np.datetime64("2020-01-01T00:00") + step * np.arange(rows)
    counts = np.arange(rows, dtype=np.float64)
    return cleaned(times, pd.DataFrame({"tens": 10 * counts, "ones": counts}), step)


def test_both_formats_of_jena_give_the_same_series() -> None:
    degrees = [1.5, 2.5, 3.5]
    old = read_jena(
        jena_file(
            "Date Time",
            ["02.01.2009 00:10:00", "02.01.2009 00:20:00", "02.01.2009 00:30:00"],
            degrees,
        )
    )
    new = read_jena(
        jena_file(
            "date", ["2009-01-02 00:10:00", "2009-01-02 00:20:00", "2009-01-02 00:30:00"], degrees
        )
    )
    assert old.times.tolist() == new.times.tolist()
    assert old.times[0] == np.datetime64("2009-01-02T00:10")  # the second of January
    assert old.target.tolist() == new.target.tolist() == degrees
    assert old.variables == new.variables == JENA_VARIABLES
    assert not old.faults


def test_a_missing_value_is_the_one_before_a_second_row_goes_and_a_gap_is_told() -> None:
    times = ["00:00", "00:10", "00:10", "00:20", "01:00", "00:30"]
    found = read_jena(
        jena_file(
            "date",
            [f"2020-05-29 {time}:00" for time in times],
            [5.0, 6.0, 7.0, -9999.0, 9.0, 8.0],
        )
    )
    assert found.target.tolist() == [5.0, 6.0, 6.0, 8.0, 9.0]
    assert found.observed.tolist() == [True, True, False, True, True]
    assert [(fault.kind, fault.steps) for fault in found.faults] == [
        ("duplicate", 1),
        ("missing", 1),
        ("gap", 2),
    ]
    assert [fault.words for fault in found.faults] == [
        "second row of 2020-05-29 00:10",
        "T (degC) missing at 2020-05-29 00:20",
        "2 rows missing before 2020-05-29 01:00",
    ]
    assert [fault.kind for fault in found.first(3).faults] == ["duplicate", "missing"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is no table"),
        (b"date,HUFL\n2016-07-01 00:00:00,1", "has no column 'HULL'"),
        (b"date,HUFL,HULL,MUFL,MULL,LUFL,LULL,OT\nyesterday,1,2,3,4,5,6,7", "cannot be read"),
        (b"date,HUFL,HULL,MUFL,MULL,LUFL,LULL,OT\n2016-07-01 00:00:00,1,2,3,4,5,6,x", "cannot be"),
        (b"date,HUFL,HULL,MUFL,MULL,LUFL,LULL,OT\n2016-07-01 00:00:00,1,2,3,4,5,6,", "OT: has no"),
    ],
)
def test_a_damaged_file_is_one_line(content: bytes, words: str) -> None:
    with pytest.raises(BenchmarkError, match=words) as fault:
        read_ettm1(content)
    assert "\n" not in str(fault.value)


def test_packed_files_are_unpacked_whatever_they_are_called(tmp_path: Path) -> None:
    for name, write in (("a.csv.xz", lzma.compress), ("a.csv", bytes)):
        (tmp_path / name).write_bytes(write(b"1,2"))
        assert unpacked(tmp_path / name) == ("a.csv", b"1,2")
    with zipfile.ZipFile(tmp_path / "cached.txt", "w") as archive:
        archive.writestr("a.csv", "1,2")
    assert unpacked(tmp_path / "cached.txt") == ("a.csv", b"1,2")
    (tmp_path / "cut.csv.xz").write_bytes(lzma.compress(b"1,2")[:20])
    with pytest.raises(BenchmarkError, match=r"cut\.csv\.xz: cannot be unpacked"):
        unpacked(tmp_path / "cut.csv.xz")


def test_copies_are_found_or_missed_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BenchmarkError, match=r"jena: holds no \*\.csv\*; .*tf-keras-datasets"):
        jena(tmp_path)
    with pytest.raises(BenchmarkError, match=r"ett: holds no ETTm1"):
        ettm1(tmp_path)
    for name in ("2009.csv", "2020.csv"):
        (tmp_path / "jena").mkdir(exist_ok=True)
        (tmp_path / "jena" / name).write_bytes(jena_file("date", ["2020-01-01 00:00:00"], [1.0]))
    with pytest.raises(BenchmarkError, match=r"holds 2009\.csv and 2020\.csv; keep one"):
        jena(tmp_path)
    (tmp_path / "ett").mkdir()
    (tmp_path / "ett" / "ETTm1.csv").write_bytes(
        b"date,HUFL,HULL,MUFL,MULL,LUFL,LULL,OT\n2016-07-01 00:00:00,1,2,3,4,5,6,7"
    )
    with pytest.raises(BenchmarkError, match="has SHA-256"):
        ettm1(tmp_path)
    # What is downloaded has no checksum to go by, but its ends are known.
    monkeypatch.setattr(sources, "fetch", lambda _: tmp_path / "jena" / "2020.csv")
    with pytest.raises(BenchmarkError, match="does not reach from 2009-01-01T00:10"):
        jena()


def test_windows_go_on_from_what_is_known_and_share_no_target() -> None:
    whole = series(1000)
    parts = split(whole, 1, 42)
    unit = float(scale_of(whole).high[-1])
    assert unit == 799  # of the first 80 % of the rows
    shown = {"train": parts.train, "validation": parts.validation, "test": parts.test}
    targets = {}
    for name, part in shown.items():
        known = (part.x * unit).round().int()
        future = (part.y * unit).round().int()
        assert known.shape[1:] == (144, 2)
        assert future.shape[1] == 24
        torch.testing.assert_close(future[:, 0], known[:, -1, 1] + 1)
        torch.testing.assert_close(known[:, -1, 0], known[:, -1, 1])
        assert (future.diff(dim=1) == 1).all()
        # A day before a target are as many rows before.
        torch.testing.assert_close(known[:, :24, 1] + 144, future)
        targets[name] = set(future.flatten().tolist())
    assert targets["train"] == set(range(144, 800))
    assert targets["validation"] == set(range(800, 900))
    assert targets["test"] == set(range(900, 1000))
    assert len(split(whole, 4, 42).train) == -(-len(parts.train) // 4)


def test_no_window_reaches_across_a_gap_or_has_a_target_that_was_not_measured() -> None:
    times = np.datetime64("2020-01-01T00:00") + TEN_MINUTES * np.arange(1003)
    counts = np.arange(1003.0)
    rows = pd.DataFrame({"tens": 10 * counts, "ones": counts})
    rows.loc[950, "ones"] = -9999.0
    there = np.r_[0:300, 303:1003]
    broken = cleaned(times[there], rows.take(there), TEN_MINUTES)
    parts = split(broken, 1, 42)
    unit = float(scale_of(broken).high[-1])
    for part in (parts.train, parts.validation, parts.test):
        day = (part.x[:, :, 1] * unit).round().int()
        future = (part.y * unit).round().int()
        assert (day.diff(dim=1).abs() <= 2).all()  # 2 beside the value that is missing
        assert (future.diff(dim=1) == 1).all()
        assert not (future == 950).any()
    # Windows of 144 + 24 rows: 167 reach across the gap, 24 have the missing value as a target.
    assert left_out(broken) == 167 + 24


def test_methods_learn_differences_and_their_predictions_are_put_back() -> None:
    rng = np.random.default_rng(0)
    times = np.datetime64("2020-01-01T00:00") + TEN_MINUTES * np.arange(1000)
    whole = cleaned(times, pd.DataFrame(rng.normal(size=(1000, 3)).cumsum(axis=0)), TEN_MINUTES)
    parts = split(whole, 1, 42)
    x, learned = parts.train.in_order(10_000)[0]
    assert learned.std().item() == pytest.approx(1, rel=1e-3)
    spread = float((parts.train.y - x[:, -1, -1:]).std(correction=0))
    torch.testing.assert_close(learned * spread + x[:, -1, -1:], parts.train.y)
    x, learned = parts.test.in_order(10_000)[0]
    ones = torch.ones_like(learned)
    put_back = restored(parts, x, Prediction(learned, ones, 2 * ones))
    torch.testing.assert_close(put_back.mean, parts.test.y)
    torch.testing.assert_close(put_back.aleatoric, spread**2 * ones)
    torch.testing.assert_close(put_back.epistemic, 2 * spread**2 * ones)
    seen, targets = zip(*parts.train.batches(64, torch.Generator().manual_seed(1)), strict=True)
    again = torch.cat(targets) * spread + torch.cat(seen)[:, -1, -1:]
    torch.testing.assert_close(again.sort(dim=0).values, parts.train.y.sort(dim=0).values)


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(BenchmarkError, match="rows must be at most 1000"):
        series(1000).first(1001)
    with pytest.raises(BenchmarkError, match="rows must be more than 170: no window"):
        split(series(170), 1, 42)


@needs_ett
def test_ettm1_is_the_publishers_file() -> None:
    data = ettm1(DATA)
    assert len(data.series) == 69_680
    assert data.series.variables == ("HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT")
    assert data.series.target[0] == pytest.approx(30.5310001373291)
    assert data.series.values[1, 0] == pytest.approx(5.760000228881836)
    assert not data.series.faults
    assert data.series.hours == 0.25


@needs_jena
def test_what_is_wrong_with_jena_in_2020_is_told() -> None:
    data = jena(DATA)
    assert data.sha256 == "34ee981d07313e51da2a50bb600072c8ae4a69cb4b0651f4cb93a069d7a2ba63"
    assert len(data.series) == 52_695
    assert [fault.words for fault in data.series.faults] == [
        "wv (m/s) missing at 2020-02-20 07:40",
        "second row of 2020-05-12 06:00",
        "9 rows missing before 2020-05-29 11:10",
    ]
    assert len(data.series.first(15_000).faults) == 1
    assert data.series.values.min() > -100
    assert data.series.target[0] == 0.71
