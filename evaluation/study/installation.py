"""What is installed here, as far as it decides the bits of a lap."""

import hashlib
import platform
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

_PACKAGES = ("maps", "nsac_core", "drive", "policies", "evaluation")
_LIBRARIES = ("torch", "numpy", "gymnasium", "numba", "opencv-python-headless", "pygame-ce")


@lru_cache(maxsize=1)
def installation() -> dict[str, str]:
    """Versions by name; that of ``nsac-drive`` is a digest of its source files."""
    sources = hashlib.sha256()
    root = Path(__file__).parents[2]
    for package in _PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            sources.update(file.relative_to(root).as_posix().encode() + file.read_bytes())
    return {
        "nsac-drive": sources.hexdigest()[:12],
        "python": platform.python_version(),
        **{name: version(name) for name in _LIBRARIES},
    }


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """The first thing that differs, in words; empty where nothing does."""
    for name, found in there.items():
        if found != here[name]:
            return f"{name} {found}, not {here[name]}"
    return ""
