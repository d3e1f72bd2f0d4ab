"""Degradation labels, and the files of features that they are made for."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nsac_core.benchmarks.bearings.degradation import (
    Regime,
    degradation,
    exponential_degradation,
)
from nsac_core.benchmarks.bearings.recordings import hust, pronostia, read, xjtu
from nsac_core.benchmarks.bearings.sources import bearings
from nsac_core.benchmarks.errors import BenchmarkError

DATA = Path(os.environ.get("NSAC_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_bearings = pytest.mark.skipif(
    not (DATA / "bearings").is_dir(), reason="no bearing data; set NSAC_DATA"
)

# Of the authors' own files, whose labels solve the equations to 1e-9: rows, hop, and the labels at
# four tenths, five tenths, ... nine tenths of the rows.
PUBLISHED = [
    (xjtu(), 8000, 0.0390625, [0.000140, 0.000578, 0.002904, 0.014308, 0.064634, 0.265511]),
    (
        pronostia(4200, 1650, 100.253),
        4663,
        0.0390625,
        [0.0, 0.000007, 0.000156, 0.002151, 0.021165, 0.160841],
    ),
    (hust(), 12387, 0.01953125, [0.000005, 0.000088, 0.000930, 0.007148, 0.043405, 0.222252]),
]


@pytest.mark.parametrize(("regime", "rows", "hop", "labels"), PUBLISHED)
def test_labels_are_those_of_the_published_files(
    regime: Regime, rows: int, hop: float, labels: list[float]
) -> None:
    label = degradation(np.arange(rows, dtype=np.float64) * hop, regime)
    tenths = [int(share * (rows - 1)) for share in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)]
    np.testing.assert_allclose(label[tenths], labels, atol=1e-6)
    assert (label[0], label[-1]) == (0, 1)
    assert (np.diff(label) >= 0).all()


def test_rows_of_one_moment_have_one_label() -> None:
    label = degradation(np.array([0.0, 100.0, 100.0, 300.0]), xjtu())
    assert label[1] == label[2] > 0


@needs_bearings
@pytest.mark.parametrize(
    "name",
    ["hust_Bearing1_features", "pronostia_Bearing1_3_features", "pronostia_Bearing2_1_features"],
)
def test_older_files_carry_the_exponential_label(name: str) -> None:
    rows = pd.read_csv(DATA / "bearings" / f"{name}.csv.xz")
    ours = exponential_degradation(rows["Time"].to_numpy(np.float64))
    np.testing.assert_allclose(ours, rows["Degradation"], atol=1e-9)


@needs_bearings
def test_the_files_are_read_whole() -> None:
    found = bearings(DATA)
    assert {name: len(bearing) for name, bearing in found.items()} == {
        "xjtu_1_1": 8000,
        "xjtu_1_2": 10000,
        "xjtu_1_3": 10000,
        "pronostia_1_3": 12159,
        "pronostia_2_1": 4663,
        "hust_1": 12387,
    }
    first = found["xjtu_1_1"].features[0]
    # The first line of the file; the energy as its logarithm.
    assert first[0] == pytest.approx(np.log10(68476.27145691901))
    assert first[1] == pytest.approx(9.223550207184072)
    assert first[13] == pytest.approx(0.5060489953586768)
    # One formula of the time alone, of one end: two bearings with the same label in every row.
    np.testing.assert_array_equal(found["xjtu_1_2"].label, found["xjtu_1_3"].label)


SEVEN = "[1.0, 2, 3, 4, 5, 6, 7]"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["Horizontal,Time", f'"{SEVEN}",0'], "has no column Vertical"),
        (
            ["Horizontal,Vertical,Time", f'"{SEVEN}","{SEVEN}",0', f'"{SEVEN}","[1, 2]",1'],
            "row 2: Vertical should be a list of 7 numbers",
        ),
        (
            ["Horizontal,Vertical,Time", f'"{SEVEN}","{SEVEN}",1', f'"{SEVEN}","{SEVEN}",0'],
            "row 2: Time is below",
        ),
        ([""], "is no table"),
    ],
)
def test_a_faulty_file_is_named_with_the_row(lines: list[str], message: str) -> None:
    with pytest.raises(BenchmarkError, match=message) as fault:
        read(Path("some.csv"), "\n".join(lines).encode(), "xjtu_9_9")
    assert str(fault.value).startswith("some.csv: ")
    assert "\n" not in str(fault.value)


def test_a_missing_copy_says_what_would_do(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match=r"labels\.csv: no such file; .*synthetic"):
        bearings(tmp_path)


def test_another_file_than_expected_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bearings").mkdir()
    file = tmp_path / "bearings" / "xjtu_Bearing1_1_features_with_labels.csv"
    file.write_text("Horizontal,Vertical,Time\n")
    with pytest.raises(BenchmarkError, match="has SHA-256"):
        bearings(tmp_path)
