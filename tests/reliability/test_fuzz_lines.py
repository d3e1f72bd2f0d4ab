"""Tables and logs of any content: read, or told in one line which file and row is wrong."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drive.udacity import recordings
from drive.udacity.driving_log import RANGES
from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.frame_shape import FRAME_SHAPE
from drive.udacity.frames import FrameError, decode, encode
from drive.udacity.log_lines import LineError, LogLine, parse
from nsac_core.benchmarks.bearings import recordings as bearings
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.readers import (
    ETTM1_VARIABLES,
    read_ettm1,
    read_jena,
    unpacked,
)
from tests.reliability.fuzzing import contents, examples, valid_or

LINE = "a row, or a fault that is listed with its line"
ROW = ["IMG/center_1.jpg", "IMG/left_1.jpg", "IMG/right_1.jpg", "0.1", "0.5", "0", "12.5"]

field = st.one_of(
    st.sampled_from(["", " ", "nan", "inf", "1e400", "0,5", '"', "a,b.jpg", "\0", "9" * 5000]),
    st.sampled_from(["١٢", "1_0", "-0", "0x1", "center.jpg", "\u2028", "\r", "\ufeff"]),
    st.floats().map(str),
    st.text(max_size=5),
)


@st.composite
def rows(draw: st.DrawFn) -> list[str]:
    """A right row with a field of it changed, lost or added."""
    row = list(ROW)
    place = draw(st.integers(0, len(row) - 1))
    row[place : place + draw(st.integers(0, 1))] = draw(st.lists(field, max_size=2))
    return row


@pytest.mark.fault("any line (fuzzed)", "driving_log.csv", LINE)
@given(rows().map(",".join) | rows().map(", ".join) | st.text(max_size=40))
@examples(400)
def test_any_line_of_a_log(text: str) -> None:
    found = valid_or(LineError, parse, text)
    if isinstance(found, LogLine):
        for name, (low, high) in RANGES.items():
            assert low <= getattr(found, name) <= high
            assert np.isfinite(getattr(found, name))
        assert found.images[0]


@pytest.mark.fault("any content (fuzzed)", "driving_log.csv", LINE)
@given(
    contents
    | st.lists(rows().map(",".join))
    .map("\n".join)
    .map(lambda text: text.encode(errors="surrogatepass"))
)
@examples(150)
def test_any_log(tmp_path: Path, content: bytes) -> None:
    log = tmp_path / "driving_log.csv"
    log.write_bytes(content)
    found = valid_or(DrivingLogError, recordings.read, tmp_path, name=log)
    assert found is not None
    assert not found.rows
    skipped = [fault.line for fault in found.faults if fault.skipped]
    content = content.removeprefix(b"\xef\xbb\xbf")
    lines = content.count(b"\n") + (bool(content) and not content.endswith(b"\n"))
    assert skipped == list(range(1, lines + 1))


PICTURE = encode(
    np.arange(np.prod(FRAME_SHAPE), dtype=np.uint32).astype(np.uint8).reshape(FRAME_SHAPE)
)


@pytest.mark.fault("any content, any bytes changed (fuzzed)", "image of a recording", "one line")
@given(
    contents
    | st.lists(st.tuples(st.integers(0, len(PICTURE) - 1), st.integers(0, 255)), max_size=6).map(
        lambda changes: bytes(dict(changes).get(n, byte) for n, byte in enumerate(PICTURE))
    )
)
@examples(60)
def test_any_image(content: bytes) -> None:
    found = valid_or(FrameError, decode, content)
    assert found is None or found.shape == FRAME_SHAPE


def table(columns: dict[str, list[str]]) -> bytes:
    rows = pd.DataFrame(columns).to_csv(index=False, errors="replace")
    return rows.encode(errors="surrogatepass")


def ett(times: list[str], values: list[str]) -> bytes:
    return table({"date": times, **{name: values[: len(times)] for name in ETTM1_VARIABLES}})


moment = st.sampled_from(["2016-07-01 00:00:00", "2016-07-01 00:15:00", "", "now"]) | field
LONG = ["1", "-9999", "", "2.5"]


@pytest.mark.fault(
    "any content, any times and values (fuzzed)", "series (CSV): nsac-bench", "one line"
)
@given(
    contents
    | st.builds(ett, st.lists(moment, max_size=4), st.lists(field, min_size=4, max_size=4))
    | st.lists(moment, max_size=4).map(lambda times: ett(times, LONG))
)
@examples(150)
def test_any_series(content: bytes) -> None:
    for read in (read_ettm1, read_jena):
        found = valid_or(BenchmarkError, read, content)
        assert found is None or np.isfinite(found.values).all()


SEVEN = "[1, 1, 1, 1, 1, 1, 1]"
features = st.sampled_from([SEVEN, "[]", "[1]", "[-1, 1, 1, 1, 1, 1, 1]", "[" * 9999]) | field


def bearing(rows: list[tuple[str, str, str, str]]) -> bytes:
    names = ("Time", "Horizontal", "Vertical", "Load")
    columns = {name: [row[n] for row in rows] for n, name in enumerate(names)}
    return table({**columns, "RPM": columns["Load"], "Temperature": columns["Load"]})


@pytest.mark.fault("any content, any rows (fuzzed)", "bearing (CSV): nsac-bench", "one line")
@given(
    contents
    | st.lists(st.tuples(field, features, features, field), max_size=4).map(bearing)
    | st.lists(field, min_size=3, max_size=3).map(
        lambda times: bearing([(time, SEVEN, SEVEN, "4000") for time in times])
    )
)
@examples(100)
def test_any_bearing(content: bytes) -> None:
    file = Path("bearing.csv")
    for name in ("xjtu_1", "pronostia_1"):
        found = valid_or(BenchmarkError, bearings.read, file, content, name, name=file)
        assert found is None or np.isfinite(found.features).all()


@pytest.mark.fault("any content (fuzzed)", "packed CSV (XZ, ZIP): nsac-bench", "one line")
@given(contents, st.sampled_from([b"", b"\xfd7zXZ\x00", b"PK\x03\x04", b"PK"]))
@examples(60)
def test_any_archive(tmp_path: Path, content: bytes, start: bytes) -> None:
    file = tmp_path / "series.csv.xz"
    file.write_bytes(start + content)
    valid_or(BenchmarkError, unpacked, file, name=file)
