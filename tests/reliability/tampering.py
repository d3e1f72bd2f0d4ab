"""Damages files, runs commands on them, and says what has to come of it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Main = Callable[[list[str]], None]
Damage = Callable[[Path], None]


def empty(file: Path) -> None:
    """Nothing is left."""
    file.write_bytes(b"")


def truncate(file: Path) -> None:
    """The last third is gone."""
    content = file.read_bytes()
    file.write_bytes(content[: 2 * len(content) // 3])


def another_kind(file: Path) -> None:
    """A pickle under this name."""
    file.write_bytes(b"\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x8c\x06pickle\x94.")


def flip(file: Path) -> None:
    """Twenty bits are flipped, everywhere in the file."""
    content = bytearray(file.read_bytes())
    for place in np.random.default_rng(len(content)).integers(0, 8 * len(content), 20).tolist():
        content[place // 8] ^= 1 << place % 8
    file.write_bytes(content)


DAMAGES: list[Damage] = [empty, truncate, another_kind, flip]


def flipped(content: bytes, place: int) -> bytes:
    """A content with one bit flipped."""
    changed = bytearray(content)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


def check_line(message: str, name: str) -> None:
    """A message is one line, names the place and is no traceback."""
    assert message
    assert len(message.splitlines()) == 1, message
    assert name in message, message


def refuses(main: Main, arguments: list[str], name: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Runs a command in this process: it has to end with status 2 and one line that names a file.

    Returns:
        The line.
    """
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr().err
    lines = [line for line in said.splitlines() if line.startswith("error: ")]
    assert ended.value.code == 2, said
    assert len(lines) == 1, said
    assert "Traceback" not in said
    check_line(lines[0], name)
    return lines[0]
