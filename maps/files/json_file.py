"""JSON from files that anybody may have written: read strictly, each fault told in one line."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from maps.files import text_file
from maps.files.one_line_error import OneLineError
from maps.files.text_file import TextFileError


class JsonError(OneLineError):
    """Text that is no JSON; the message says where and why, and ``read`` names the file as well."""


def read(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    """What a file of UTF-8 holds, with or without a byte order mark.

    Raises:
        JsonError: It cannot be read, or as ``parse``; the message begins with the path.
    """
    try:
        return parse(text_file.read(path))
    except TextFileError as fault:
        raise JsonError(str(fault)) from None
    except JsonError as fault:
        raise JsonError(f"{path}: {fault}") from None


def parse(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """What a text holds.

    Raises:
        JsonError: It is no JSON, nested too deeply, holds a number of thousands of digits, or names
            a field twice, of which the last would count in silence.
    """
    try:
        return json.loads(text, object_pairs_hook=_fields)
    except json.JSONDecodeError as fault:
        raise JsonError(f"not JSON: {fault.msg}, line {fault.lineno}") from None
    except RecursionError:
        raise JsonError("not JSON that anybody wrote: nested too deeply") from None
    except JsonError:
        raise
    except ValueError:  # int() refuses what takes it minutes
        raise JsonError("a number has thousands of digits") from None


def _fields(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise JsonError(f"the field {twice!r} is there twice")
    return fields
