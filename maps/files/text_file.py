"""Text from files that anybody may have written."""

from pathlib import Path

from maps.files.one_line_error import OneLineError


class TextFileError(OneLineError):
    """A file that is no readable text; the message begins with its path."""


def read(path: Path) -> str:
    """What a file of UTF-8 holds, without a byte order mark.

    Raises:
        TextFileError: It cannot be read, or is no UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as fault:
        raise TextFileError(f"{path}: cannot be read ({fault.strerror})") from None
    except UnicodeDecodeError as fault:
        where = f"{fault.reason}, byte {fault.start}"
        raise TextFileError(f"{path}: cannot be read: no UTF-8 text ({where})") from None
