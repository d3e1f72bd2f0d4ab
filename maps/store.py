"""Maps by name: the JSON files beside this module, gymnasium seeds, and files of one's own."""

import json
import re
import reprlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maps.files import json_file
from maps.files.json_file import JsonError
from maps.files.one_line_error import did_you_mean
from maps.files.present import is_file
from maps.files.whole import write_text
from maps.seeds import seed_map
from maps.track_map import MapError, TrackMap

FOLDER = Path(__file__).parent
MOST = 1_000_000
"""Maps that a list may name: more were a slip, and would fill the memory."""

_SEED = re.compile(r"seed:(\d{1,19})", re.ASCII)
_SEEDS = re.compile(r"seed:(\d{1,19})-(\d{1,19})", re.ASCII)
_PAIR = [True, True]
_FIELDS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "origin": (str,),
    "half_width": (int, float),
    "centre_line": (list,),
    "start": (int,),
}


def names() -> list[str]:
    """The names of the maps that come with the package, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(name: str | Path) -> TrackMap:
    """A map by its name (`oval`), its gymnasium seed (`seed:42`) or the path of its JSON file.

    Raises:
        MapError: When there is no such map, or it is malformed.
    """
    text = str(name)
    seed = _SEED.fullmatch(text)
    if seed:
        return seed_map(int(seed[1]))
    if text in names():
        return _load_named(text)
    if text.startswith("seed:"):
        raise MapError(f"{text}: a seed is written seed:42, a range seed:2000-2099")
    path = Path(name)
    if is_file(path):
        return read(path)
    if path.suffix == ".json" or len(path.parts) > 1:
        raise MapError(f"{path}: no such map file")
    known = names()
    raise MapError(
        f"unknown map {text!r}; {did_you_mean(text, known)}there are {', '.join(known)}, seed:N, "
        "and JSON files"
    )


@lru_cache(maxsize=32)
def _load_named(name: str) -> TrackMap:
    return read(FOLDER / f"{name}.json")


def expand(maps: str) -> list[str]:
    """The single names that a `--maps` option stands for, in the order given.

    One track, one name: `seed:042` is `seed:42`.

    Args:
        maps: Names with commas between them; `seed:2000-2099` stands for 100 seeds.

    Raises:
        MapError: When a name is empty, a range runs backwards or is endless, or there is no such
            map.
    """
    singles: list[str] = []
    for part in (part.strip() for part in maps.split(",")):
        seeds = _SEEDS.fullmatch(part)
        if not part:
            raise MapError(f"an empty map name in {maps!r}")
        if seeds:
            first, last = int(seeds[1]), int(seeds[2])
            if last < first:
                raise MapError(f"{part}: the last seed is smaller than the first")
            if last - first >= MOST:
                raise MapError(f"{part}: {last - first + 1} seeds, at most {MOST} can be named")
            singles += [f"seed:{seed}" for seed in range(first, last + 1)]
        elif seed := _SEED.fullmatch(part):
            singles.append(f"seed:{int(seed[1])}")
        else:
            load(part)
            singles.append(part)
    return singles


def digests(names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of each map by its name, but for gymnasium's, which its seed tells.

    Raises:
        MapError: When there is no such map, or it is malformed.
    """
    return {name: load(name).sha256 for name in names if not name.startswith("seed:")}


def read(path: str | Path) -> TrackMap:
    """A map from its JSON file.

    Raises:
        MapError: When the file is malformed; the message names the file and the fault.
    """
    path = Path(path)
    fields = _parse(path)
    line = _line(path, fields["centre_line"])
    start = fields["start"]
    if not 0 <= start < max(len(line), 1):
        raise MapError(f"{path}: start must be the index of a point of centre_line, not {start}")
    try:
        line = np.roll(line, -start, axis=0)
        return TrackMap(fields["name"], fields["origin"], float(fields["half_width"]), line)
    except OverflowError:
        raise MapError(f"{path}: half_width is beyond all numbers") from None
    except MapError as error:
        fault = str(error).removeprefix(f"map {fields['name']}: ")
        raise MapError(f"{path}: {fault}") from None


def _line(path: Path, points: list[Any]) -> NDArray[np.float64]:
    """The points of a map file, ``(n, 2)``."""
    if not points:
        raise MapError(f"{path}: centre_line must be a list of [x, y] pairs of numbers, not empty")
    for number, point in enumerate(points):
        if not isinstance(point, list) or [type(value) in (int, float) for value in point] != _PAIR:
            raise MapError(
                f"{path}: centre_line must be a list of [x, y] pairs of numbers; point {number} is "
                f"{reprlib.repr(point)}"
            )
    try:
        return np.array(points, dtype=np.float64)
    except OverflowError:
        raise MapError(f"{path}: centre_line holds a number beyond all numbers") from None


def _parse(path: Path) -> dict[str, Any]:
    """The fields of a map file, each present and of its type."""
    try:
        fields = json_file.read(path)
    except JsonError as fault:
        raise MapError(str(fault)) from None
    if not isinstance(fields, dict):
        raise MapError(f"{path}: a map is a JSON object with the fields {', '.join(_FIELDS)}")
    for field, types in _FIELDS.items():
        if field not in fields:
            raise MapError(f"{path}: the field {field!r} is missing")
        if not isinstance(fields[field], types) or isinstance(fields[field], bool):
            wanted = " or ".join(kind.__name__ for kind in types)
            raise MapError(f"{path}: the field {field!r} must be {wanted}")
    unknown = sorted(set(fields) - set(_FIELDS))
    if unknown:
        guess = did_you_mean(unknown[0], _FIELDS)
        raise MapError(
            f"{path}: unknown field {unknown[0]!r}; {guess}there are {', '.join(_FIELDS)}"
        )
    return fields


def existing_folder(path: str | Path) -> Path:
    """The path of a file to write, once its folder is known to exist."""
    path = Path(path)
    if not path.parent.is_dir():
        raise MapError(f"{path}: there is no folder {path.parent}")
    return path


def save(track: TrackMap, path: str | Path) -> None:
    """Write a map as a JSON file, whole or not at all, one point a line, to the thousandth.

    Raises:
        MapError: When the folder does not exist.
    """
    path = existing_folder(path)
    points = ",\n".join(f"    [{x:.3f}, {y:.3f}]" for x, y in track.centre_line)
    head = {"name": track.name, "origin": track.origin, "half_width": track.half_width, "start": 0}
    fields = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
    text = f'{fields},\n  "centre_line": [\n{points}\n  ]\n}}\n'
    write_text(path, text)
