"""Maps, centre lines and names of maps of any content: a map, or one line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maps.circuits import import_centre_line
from maps.store import expand, load
from maps.track_map import MAXIMUM_POINTS, MapError, TrackMap
from tests.reliability.fuzzing import changed, contents, examples, json_values, valid_or

RING = [[100 * float(np.cos(t)), 100 * float(np.sin(t))] for t in np.arange(40) * np.pi / 20]
MAP: dict[str, Any] = {
    "name": "m",
    "origin": "o",
    "half_width": 6.5,
    "start": 0,
    "centre_line": RING,
}
ANY = "a map, or one line that names the file"


def check_map(found: TrackMap | None) -> None:
    if found is not None:
        assert np.isfinite(found.centre_line).all()
        assert len(found.centre_line) <= MAXIMUM_POINTS
        assert 0 < found.half_width < 400


@pytest.mark.fault("any content (fuzzed)", "map (JSON)", ANY)
@given(contents)
@examples(150)
def test_any_content_of_a_map(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.json"
    file.write_bytes(content)
    check_map(valid_or(MapError, load, file, name=file))


@pytest.mark.fault("one field changed (fuzzed)", "map (JSON)", ANY)
@given(changed(MAP))
@examples(150)
def test_a_map_with_one_field_changed(tmp_path: Path, fields: dict[str, Any]) -> None:
    file = tmp_path / "m.json"
    file.write_text(json.dumps(fields))
    check_map(valid_or(MapError, load, file, name=file))


@pytest.mark.fault("one point changed (fuzzed)", "map (JSON)", ANY)
@given(st.integers(0, 39), json_values)
@examples(150)
def test_a_map_with_one_point_changed(tmp_path: Path, place: int, point: object) -> None:
    file = tmp_path / "m.json"
    line = [*RING[:place], point, *RING[place + 1 :]]
    file.write_text(json.dumps({**MAP, "centre_line": line}))
    check_map(valid_or(MapError, load, file, name=file))


@pytest.mark.fault("200,000 points, or a lap of a million", "map, centre line", "one line, at once")
def test_an_endless_line_is_refused_at_once(tmp_path: Path) -> None:
    turn = np.linspace(0, 2 * np.pi, 200_000, endpoint=False)
    many = np.column_stack([100 * np.cos(turn), 100 * np.sin(turn)])
    file = tmp_path / "m.json"
    file.write_text(json.dumps({**MAP, "centre_line": many.tolist()}))
    assert valid_or(MapError, load, file, name="at most 5000 are allowed") is None
    star = (200 + 190 * np.cos(np.pi * np.arange(2000)))[:, None] * np.column_stack(
        [np.cos(turn[::100]), np.sin(turn[::100])]
    )
    rows = "\n".join(f"{x},{y},5,5" for x, y in star.tolist())
    (tmp_path / "star.csv").write_text(rows)
    assert valid_or(MapError, import_centre_line, tmp_path / "star.csv", name="star.csv") is None


ROWS = [[9 * x, 5 * y, 6.0, 6.0] for x, y in RING]
field = st.one_of(
    st.floats().map(str),
    st.integers().map(str),
    st.sampled_from(["", " ", "1e400", "nan", "0x10", "1_0", "\ud800", "\0", "9" * 5000, '"1"']),
    st.text(max_size=5),
)


@pytest.mark.fault("any content (fuzzed)", "centre line (CSV)", ANY)
@given(
    contents
    | st.lists(st.lists(field, max_size=5).map(",".join))
    .map("\n".join)
    .map(lambda text: text.encode(errors="surrogatepass"))
)
@examples(100)
def test_any_content_of_a_centre_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "ring.csv"
    file.write_bytes(content)
    check_map(valid_or(MapError, import_centre_line, file, name=file))


@pytest.mark.fault("one field changed (fuzzed)", "centre line (CSV)", ANY)
@given(st.integers(0, 39), st.integers(0, 3), field, st.sampled_from(["\n", "\r\n", "\r"]))
@examples(10)
def test_a_centre_line_with_one_field_changed(
    tmp_path: Path, row: int, column: int, text: str, end: str
) -> None:
    rows = [[str(value) for value in row] for row in ROWS]
    rows[row][column] = text
    file = tmp_path / "ring.csv"
    file.write_bytes(end.join(map(",".join, rows)).encode(errors="surrogatepass"))
    check_map(valid_or(MapError, import_centre_line, file, name=file))


part = st.one_of(
    st.sampled_from(["seed:", "seed:1-", "oval", ",", "-", ":", "42", "9" * 30, "../", ".json"]),
    st.text(max_size=6),
)


@pytest.mark.fault("any text (fuzzed)", "--maps", "names of maps, or one line")
@given(st.lists(part, max_size=6).map("".join))
@examples(200)
def test_any_list_of_maps(text: str) -> None:
    names = valid_or(MapError, expand, text)
    assert names is None or all(isinstance(name, str) for name in names)


@pytest.mark.fault("seed:0-99999999999", "--maps", "one line, at once")
@pytest.mark.parametrize(
    "text", ["seed:0-99999999999", f"seed:{'9' * 5000}", "seed:٤٢", "x" * 9999]
)
def test_an_endless_range_of_seeds_is_refused_at_once(text: str) -> None:
    assert valid_or(MapError, expand, text) is None
