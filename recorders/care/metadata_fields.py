"""What metadata may say: of which type each field is, where it is there at all."""

import json
import math
import reprlib
from collections.abc import Callable, Iterator
from typing import Any

Fault = tuple[str, str]
_Field = tuple[str, str, Callable[[object], bool]]


def of_episode(entry: dict[str, Any]) -> Iterator[Fault]:
    """Fields of an episode that are of another type than the recorder writes.

    Yields:
        The field, and what is wrong with it.
    """
    given = {k: v for k, v in entry.items() if v is not None or k not in ("learner", "seed")}
    return _faults(given, _EPISODE)


def of_data_set(metadata: dict[str, Any]) -> Iterator[Fault]:
    """Fields of a whole data set, likewise."""
    return _faults(metadata, _DATA_SET)


def _faults(fields: dict[str, Any], expected: tuple[_Field, ...]) -> Iterator[Fault]:
    for field, words, fits in expected:
        if field in fields and not fits(fields[field]):
            yield field, f"{reprlib.repr(fields[field])}, expected {words}"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return type(value) is int


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_finite(value: object) -> bool:
    """Whether it is a number; of thousands of digits, none that fits anywhere."""
    try:
        return isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:
        return False


def _is_environment(value: object) -> bool:
    """Whether it is a text as gymnasium writes it, of an environment's name and options."""
    try:
        described = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(described, dict) and isinstance(described.get("kwargs", {}), dict)


_EPISODE: tuple[_Field, ...] = (
    *((name, "a text", _is_text) for name in ("map", "outcome", "driver", "learner", "renderer")),
    *((name, "a finite number", _is_finite) for name in ("return", "progress")),
    ("lap_complete", "true or false", _is_truth),
    ("seed", "a whole number", _is_whole),
    ("source", "an object", _is_object),
)
_DATA_SET: tuple[_Field, ...] = (
    *((name, "a text", _is_text) for name in ("dataset_id", "algorithm_name", "made_by")),
    ("recordings", "an object", _is_object),
    ("env_spec", "a text of JSON that describes an environment", _is_environment),
)
