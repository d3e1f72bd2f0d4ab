"""The JSON header that the checkpoints of cloned policies and of the expert have."""

from typing import Any, TypeVar

from drive.observation import ObservationSpec
from maps.files import json_file
from maps.files.plain_values import made

T = TypeVar("T")


class NewerFormatError(Exception):
    """The header is of a format that this version does not know."""


def header_of(text: str, kind: type[T], newest: int) -> T:
    """Reads a header.

    Args:
        text: JSON, with ``format_version`` and ``observation`` among its fields.
        kind: Of the header, a dataclass.
        newest: Format that this version writes.

    Raises:
        NewerFormatError: It is of a newer format.
        ValueError: It is no such header; the message is one line that names the field.
    """
    values: Any = json_file.parse(text)
    version = values.get("format_version") if isinstance(values, dict) else None
    if type(version) is not int or version < 1:
        raise ValueError(f"format_version is {version!r}, expected a whole number from 1")
    if version > newest:
        raise NewerFormatError(
            f"format {version} is newer than {newest}, the newest this version reads; "
            "update nsac-drive"
        )
    observation = made(ObservationSpec, values.get("observation"))
    return made(kind, {**values, "observation": observation})
