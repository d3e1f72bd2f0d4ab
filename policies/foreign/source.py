"""How a policy file is named on a command line, and what tells its version."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from maps.files.one_line_error import did_you_mean
from maps.files.present import is_file
from policies.errors import PolicyError

SUFFIXES = (".zip", ".onnx", ".pt", ".ts", ".pt2")
"""Endings of the files that are read here."""


@dataclass(frozen=True)
class Source:
    """A file, and what was said about it.

    Attributes:
        path: The file.
        options: From ``FILE?name=value&name=value``.
    """

    path: Path
    options: Mapping[str, str]

    @property
    def exists(self) -> bool:
        """Whether there is such a file."""
        return is_file(self.path)

    def choose(self, *names: str) -> None:
        """Refuses options of other names.

        Raises:
            PolicyError: There is one.
        """
        for name in self.options:
            if name not in names:
                expected = f"expected {', '.join(names)}" if names else "it takes none"
                raise PolicyError(f"no option {name!r}, {did_you_mean(name, names)}{expected}")


def parse(text: str) -> Source | None:
    """Reads ``FILE`` or ``FILE?name=value&name=value``; None for what is no file of ours.

    Raises:
        PolicyError: An option is there twice.
    """
    name, _, query = text.partition("?")
    path = Path(name)
    if path.suffix.lower() not in SUFFIXES:
        return None
    return Source(path, options_of(name, query))


def options_of(name: str, query: str) -> dict[str, str]:
    """Reads ``name=value&name=value``, said about what is so named.

    Raises:
        PolicyError: An option is there twice, of which the last would count in silence.
    """
    pairs = parse_qsl(query, keep_blank_values=True)
    options = dict(pairs)
    if len(options) < len(pairs):
        given = [option for option, _ in pairs]
        twice = next(option for option in given if given.count(option) > 1)
        raise PolicyError(f"{name}: {twice} is there twice")
    return options


def digest(text: str) -> str:
    """SHA-256 of the file that a policy comes from, and of the options behind its name.

    Args:
        text: What ``policies.load`` takes.

    Returns:
        64 hexadecimal digits; empty where it is not loaded from a file.
    """
    source = parse(text) or Source(Path(text), {})
    if not source.exists:
        return ""
    found = hashlib.sha256(source.path.read_bytes())
    if source.options:
        found.update(repr(sorted(source.options.items())).encode())
    return found.hexdigest()
