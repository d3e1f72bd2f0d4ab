"""One line of a ``driving_log.csv``, in every form that it is met in."""

import csv
import math
from dataclasses import dataclass
from typing import Literal

from drive.udacity.driving_log import CAMERAS, RANGES

Cause = Literal[
    "header",
    "blank line",
    "columns",
    "number",
    "range",
    "no centre image",
    "missing image",
    "empty image",
    "damaged image",
    "repeated row",
]
"""Why a line is skipped; or for a side camera's image, why the row goes without it."""

_COLUMNS = len(CAMERAS) + len(RANGES)
_COMMA_DECIMAL_COLUMNS = len(CAMERAS) + 2 * len(RANGES)


class LineError(ValueError):
    """A line that is no row.

    Attributes:
        cause: Which kind of fault.
    """

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause: Cause = cause


@dataclass(frozen=True)
class LogLine:
    """What one line says.

    Attributes:
        images: Paths as written, of the centre, left and right camera; "" where there is none.
        steering: In [-1, 1], right positive.
        throttle: In [0, 1].
        brake: In [0, 1].
        speed: In mph.
    """

    images: tuple[str, ...]
    steering: float
    throttle: float
    brake: float
    speed: float


def parse(text: str) -> LogLine:
    """Reads one line without its end.

    Columns are separated by commas or by commas and spaces, decimals by points or by commas: then
    the columns can be told apart where they are separated by commas and spaces, or where every
    number has decimals.

    Raises:
        LineError: If it is a header, blank, or no row; the message says why.
    """
    fields = _columns(text)
    if not any(fields):
        raise LineError("blank line", "the line is blank")
    if _is_header(fields):
        raise LineError("header", "the line names the columns")
    if len(fields) != _COLUMNS:
        raise LineError("columns", f"{len(fields)} columns, expected {_COLUMNS}")
    images = tuple(fields[: len(CAMERAS)])
    if not images[0]:
        raise LineError("no centre image", "the first column, the centre image, is empty")
    pairs = zip(RANGES, fields[len(CAMERAS) :], strict=True)
    steering, throttle, brake, speed = (_number(name, field) for name, field in pairs)
    return LogLine(images, steering, throttle, brake, speed)


def _columns(text: str) -> list[str]:
    """The stripped fields; seven of them if the line can be read so."""
    fields = _stripped(_whole_paths(_split(text), ","))
    if len(fields) == _COLUMNS or ", " not in text:
        return _paired(fields) if len(fields) == _COMMA_DECIMAL_COLUMNS else fields
    spaced = _stripped(_whole_paths(text.split(", "), ", "))
    return spaced if len(spaced) == _COLUMNS else fields


def _split(text: str) -> list[str]:
    """The fields between commas, of which quoted ones may hold some."""
    if '"' not in text:
        return text.split(",")
    try:
        return next(csv.reader([text]), [])
    except csv.Error as fault:
        raise LineError("columns", f"the line cannot be split into columns: {fault}") from None


def _whole_paths(fields: list[str], separator: str) -> list[str]:
    """Puts the pieces of a path with separators in it together: it ends as pictures do."""
    pictures = [number for number, field in enumerate(fields) if _is_picture(field)]
    whole: list[str] = []
    pieces: list[str] = []
    rest = pictures[-1] + 1 if pictures else 0
    for field in fields[:rest]:
        if not pieces and not field.strip():
            whole.append(field)  # a path that is not given
            continue
        pieces.append(field)
        if _is_picture(field):
            whole.append(separator.join(pieces))
            pieces = []
    return whole + fields[rest:]


def _is_picture(field: str) -> bool:
    return field.strip().strip('"').lower().endswith((".jpg", ".jpeg", ".png"))


def _paired(fields: list[str]) -> list[str]:
    """Seven fields of eleven, where all that follows the paths is halves of comma decimals."""
    numbers = fields[len(CAMERAS) :]
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    if not all(_is_number(f"{whole}.{decimals}") for whole, decimals in pairs):
        return fields
    return [*fields[: len(CAMERAS)], *(f"{whole}.{decimals}" for whole, decimals in pairs)]


def _stripped(fields: list[str]) -> list[str]:
    return [field.strip().strip('"') for field in fields]


def _is_header(fields: list[str]) -> bool:
    """Whether the fourth field is no number, and none is a picture."""
    named = len(fields) > len(CAMERAS) and not _is_number(fields[len(CAMERAS)].replace(",", "."))
    return named and not any(map(_is_picture, fields))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(name: str, text: str) -> float:
    low, high = RANGES[name]
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise LineError("number", f"{name} is {text!r}, expected a number") from None
    if not math.isfinite(value):
        raise LineError("number", f"{name} is {text!r}, expected a finite number")
    if not low <= value <= high:
        raise LineError("range", f"{name} is {text}, expected {low:g} to {high:g}")
    return value
