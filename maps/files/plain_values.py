"""Dataclasses from the plain values of a JSON file, each value checked against its field's type."""

import reprlib
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_origin, get_type_hints

from typeguard import CollectionCheckStrategy, TypeCheckError, check_type

from maps.files.one_line_error import in_one_line

T = TypeVar("T")


def made(kind: type[T], values: object) -> T:
    """The dataclass with these values; fields that are not given keep their defaults.

    Args:
        kind: Whose fields are numbers, strings, paths, lists, tuples and dictionaries.
        values: A dictionary by the names of the fields; lists stand for tuples, strings for paths.

    Raises:
        ValueError: A field is unknown, missing, or of another type; or what the dataclass itself
            raises. The message is one line that names the field.
    """
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    if not isinstance(values, dict):
        raise ValueError(f"expected the fields {', '.join(names)}, got {reprlib.repr(values)}")
    unknown = sorted(str(name) for name in values if name not in names)
    if unknown:
        raise ValueError(f"unknown field {unknown[0]!r}, expected {', '.join(names)}")
    given = {name: checked(name, value, hints[name]) for name, value in values.items()}
    try:
        return kind(**given)
    except TypeError as fault:  # one without a default is missing
        raise ValueError(in_one_line(fault)) from None


def checked(name: str, value: object, hint: Any) -> object:  # noqa: ANN401 - any type
    """The value of a field, as its type has it.

    Raises:
        ValueError: It is of another type; the message is one line that names the field.
    """
    if isinstance(value, list) and get_origin(hint) is tuple:
        value = tuple(value)
    if isinstance(value, str) and hint in (Path, Path | None):
        value = Path(value)
    wrong = isinstance(value, bool) and hint in (int, float)  # a bool is an int in Python alone
    try:
        check_type(value, hint, collection_check_strategy=CollectionCheckStrategy.ALL_ITEMS)
    except TypeCheckError:
        wrong = True
    if wrong:
        expected = getattr(hint, "__name__", str(hint)) if get_origin(hint) is None else str(hint)
        raise ValueError(f"{name} is {reprlib.repr(value)}, expected {expected}")
    return value
