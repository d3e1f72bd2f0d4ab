"""Which numbers the settings of a program may be: those that nobody means are refused at once."""

import types
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

LARGEST = 2**32 - 1
"""Of whole numbers, unless a type says otherwise: the greatest seed that every generator takes."""
WIDEST = 1e9
"""Of other numbers, likewise."""
MOST_PROCESSES = 1024
"""Processes or threads of one machine."""


@dataclass(frozen=True)
class Within:
    """Limits of a setting, said in its type: ``Annotated[int, Within(1, 100)]``.

    Attributes:
        least: Smallest value.
        most: Greatest value.
    """

    least: float
    most: float


Share = Annotated[float, Within(0, 1)]
Positive = Annotated[float, Within(1e-12, WIDEST)]
Count = Annotated[int, Within(1, LARGEST)]
Processes = Annotated[int, Within(1, MOST_PROCESSES)]


def check_numbers(settings: object, fault: type[Exception] = ValueError, prefix: str = "") -> None:
    """Checks every number of a configuration, those of nested ones included.

    A number is finite, not negative and no greater than ``LARGEST`` or ``WIDEST``, unless the type
    of its field says otherwise.

    Args:
        settings: A dataclass.
        fault: What is raised.
        prefix: Put before the names of fields.

    Raises:
        Exception: As ``fault`` says, in one line that names the field and its limits.
    """
    for name, number, limits in _numbers(settings, prefix):
        if not limits.least <= number <= limits.most:
            low, high = (f"{limit:.10g}" for limit in (limits.least, limits.most))
            raise fault(f"{name} must lie in [{low}, {high}], not {number}")


def _numbers(settings: Any, prefix: str) -> Iterator[tuple[str, float, Within]]:  # noqa: ANN401
    hints = get_type_hints(type(settings), include_extras=True)
    for field in fields(settings):
        name, value = prefix + field.name, getattr(settings, field.name)
        if is_dataclass(value):
            yield from _numbers(value, f"{name}.")
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int | float) and not isinstance(number, bool):
                usual = Within(0, LARGEST if isinstance(number, int) else WIDEST)
                yield name, number, _said(hints[field.name]) or usual


def _said(hint: Any) -> Within | None:  # noqa: ANN401 - any type
    """The limits that a type states, be it optional or of the items of a tuple."""
    if get_origin(hint) is Annotated:
        found = [entry for entry in hint.__metadata__ if isinstance(entry, Within)]
        return found[0] if found else _said(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType, tuple):
        return next(filter(None, map(_said, get_args(hint))), None)
    return None
