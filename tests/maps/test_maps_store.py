import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import maps
from maps.track_map import find_crossing


def ring(n: int = 40, radius: float = 100.0) -> list[list[float]]:
    angles = np.arange(n) * 2 * np.pi / n
    points: list[list[float]] = (
        radius * np.column_stack([np.cos(angles), np.sin(angles)])
    ).tolist()
    return points


def write(folder: Path, **changes: object) -> Path:
    fields: dict[str, object] = {
        "name": "m",
        "origin": "o",
        "half_width": 6.5,
        "start": 0,
        "centre_line": ring(),
    }
    fields |= changes
    path = folder / "m.json"
    path.write_text(json.dumps({k: v for k, v in fields.items() if v is not None}))
    return path


def test_a_map_comes_back_from_its_file(tmp_path: Path) -> None:
    track = maps.TrackMap("Ring", "a test", 6.5, np.array(ring()))
    maps.save(track, tmp_path / "ring.json")
    back = maps.load(tmp_path / "ring.json")
    assert (back.name, back.origin, back.half_width, back.seed) == ("Ring", "a test", 6.5, None)
    np.testing.assert_allclose(back.centre_line, track.centre_line, atol=0.00051)
    assert back == maps.load(str(tmp_path / "ring.json"))
    assert [path.name for path in tmp_path.iterdir()] == ["ring.json"]


def test_the_line_begins_at_the_start(tmp_path: Path) -> None:
    track = maps.load(write(tmp_path, start=7))
    np.testing.assert_allclose(track.centre_line[0], ring()[7])
    np.testing.assert_allclose(track.centre_line[-1], ring()[6])


def changed(index: int, point: list[float]) -> list[list[float]]:
    line = ring()
    line[index] = point
    return line


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"half_width": None}, "the field 'half_width' is missing"),
    "type": ({"name": 3}, "the field 'name' must be str"),
    "flag": ({"start": True}, "the field 'start' must be int"),
    "unknown": ({"width": 3}, "unknown field 'width'; did you mean half_width? there are name,"),
    "start": ({"start": 40}, "start must be the index of a point"),
    "width": ({"half_width": -1}, "half_width must be a positive number"),
    "triples": ({"centre_line": [[0, 0, 0]] * 20}, "pairs of numbers; point 0 is [0, 0, 0]"),
    "ragged": ({"centre_line": [[0, 0], [1]]}, "must be a list of [x, y] pairs of numbers"),
    "words": ({"centre_line": [["a", "b"]] * 20}, "must be a list of [x, y] pairs of numbers"),
    "few": ({"centre_line": ring(15)}, "has 15 points, at least 16"),
    "empty": ({"centre_line": []}, "centre_line must be a list of [x, y] pairs"),
    "nan": ({"centre_line": changed(5, [float("nan"), 0])}, "point 5 is not finite"),
    "equal": ({"centre_line": changed(5, ring()[6])}, "points 5 and 6 of centre_line are equal"),
    "repeated": ({"centre_line": [*ring(), ring()[0]]}, "the last point of centre_line repeats"),
    "open": ({"centre_line": ring()[:30]}, "centre_line is not closed: 152.1 from its last"),
    "outside": ({"centre_line": ring(radius=330)}, "the road leaves the playfield at"),
    "crossed": ({"centre_line": changed(5, [-110.0, 0.0])}, "centre_line crosses itself near"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_malformed_map_names_its_fault_in_one_line(case: str, tmp_path: Path) -> None:
    changes, fault = FAULTS[case]
    path = write(tmp_path, **changes)
    with pytest.raises(maps.MapError) as caught:
        maps.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert fault in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"name": ', "not JSON: Expecting value, line 1"),
        ("[1, 2]", "a map is a JSON object with the fields name"),
        ("", "not JSON"),
    ],
)
def test_a_file_that_is_no_map_names_its_fault(text: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(maps.MapError, match=fault):
        maps.load(path)


def test_a_file_in_another_encoding_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(maps.MapError, match=r"m\.json: cannot be read"):
        maps.load(path)


def test_unknown_names_list_what_there_is() -> None:
    with pytest.raises(
        maps.MapError, match=r"'ovall'; did you mean oval\? there are chicane, hair"
    ):
        maps.load("ovall")
    with pytest.raises(maps.MapError, match="unknown map 'monza'; there are chicane, hairpins"):
        maps.load("monza")
    with pytest.raises(maps.MapError, match=r"nowhere/m\.json: no such map file"):
        maps.load("nowhere/m.json")
    with pytest.raises(maps.MapError, match="no folder"):
        maps.save(maps.load("oval"), "nowhere/m.json")


def test_expand_lists_single_names() -> None:
    assert maps.expand("seed:2000-2002, oval") == ["seed:2000", "seed:2001", "seed:2002", "oval"]
    assert len(maps.expand("seed:2000-2099")) == 100
    assert maps.expand("seed:42,seed:042,seed:7-08") == ["seed:42", "seed:42", "seed:7", "seed:8"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("seed:9-3", "smaller than the first"),
        ("seed:x", "a seed is written seed:42"),
        ("seed:-3", "a seed is written seed:42"),
        ("oval,", "an empty map name"),
        ("", "an empty map name"),
        ("nix,seed:1", "unknown map 'nix'"),
    ],
)
def test_expand_names_its_fault(text: str, fault: str) -> None:
    with pytest.raises(maps.MapError, match=fault):
        maps.expand(text)


def crosses(line: NDArray[np.float64]) -> bool:
    """Segment by segment, by solving for the crossing point."""
    n = len(line)
    for i in range(n):
        for j in range(i + 2, n - (i == 0)):
            p, r = line[i], line[(i + 1) % n] - line[i]
            q, s = line[j], line[(j + 1) % n] - line[j]
            t, u = np.linalg.solve(np.column_stack([r, -s]), q - p)
            if 0 <= t <= 1 and 0 <= u <= 1:
                return True
    return False


def test_crossings_agree_with_solving_each_pair() -> None:
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(60):
        angles = np.arange(9) * 2 * np.pi / 9 + rng.normal(0, 0.35, 9)
        line = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.5, 1, (9, 1))
        found.add(crosses(line))
        assert (find_crossing(line) is not None) == crosses(line)
    assert found == {True, False}


def test_pieces_of_one_straight_do_not_cross() -> None:
    sides = [[(k, 0) for k in range(5)], [(5, k) for k in range(5)]]
    sides += [[(5 - k, 5) for k in range(5)], [(0, 5 - k) for k in range(5)]]
    assert find_crossing(np.array(sides, dtype=float).reshape(-1, 2)) is None
