"""What an episode's metadata may say: of which type each field is, where it is there at all."""

import math
from collections.abc import Iterator
from typing import Any

_TEXT = ("map", "outcome", "driver", "learner", "renderer")
_NUMBER = ("return", "progress")


def faults(entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Fields of another type than the recorder writes.

    Yields:
        The field, and what is wrong with it.
    """
    for field, expected, fits in (
        *((name, "a text", _is_text) for name in _TEXT),
        *((name, "a finite number", _is_finite) for name in _NUMBER),
        ("lap_complete", "true or false", _is_truth),
    ):
        absent = field not in entry or (field == "learner" and entry[field] is None)
        if not absent and not fits(entry[field]):
            yield field, f"{entry[field]!r}, expected {expected}"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool)


def _is_finite(value: object) -> bool:
    """Whether it is a number; of thousands of digits, none that fits anywhere."""
    try:
        return isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:
        return False
