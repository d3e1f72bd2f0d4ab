"""Pictures as files, in the format that their names end with."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from maps.files.whole import whole

ENDINGS = (".png", ".svg", ".pdf")
"""Of the names of pictures."""

_UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""What a format would say of the moment, left out."""


def find_fault(file: Path) -> str | None:
    """What is wrong with the name of a picture, in words; None where nothing is."""
    if file.suffix.lower() in ENDINGS:
        return None
    return f"{file}: expected a name ending {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"


def save_picture(figure: Figure, file: Path, dpi: int = 130) -> None:
    """Writes a figure, whole or not at all; the same figure is the same file.

    Args:
        figure: What is drawn.
        file: Where; its ending is one of ``ENDINGS``.
        dpi: Dots an inch.

    Raises:
        ValueError: There is no such format.
        OSError: It cannot be written.
    """
    suffix = file.suffix[1:].lower()
    with mpl.rc_context({"svg.hashsalt": "nsac-bench"}), whole(file) as aside:
        figure.savefig(aside, dpi=dpi, metadata=_UNDATED.get(suffix), format=suffix)
