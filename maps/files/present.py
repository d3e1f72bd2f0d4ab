"""Whether a file is there, whatever its name."""

from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether there is such a file; not where the name is too long to be one, say."""
    try:
        return path.is_file()
    except OSError:
        return False
