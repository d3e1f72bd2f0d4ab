"""Which laps are put on the page."""

from dataclasses import dataclass
from pathlib import Path

from evaluation.inspection.config import LapsConfig


@dataclass(frozen=True)
class ReportConfig(LapsConfig):
    """Which laps are put on the page.

    Attributes:
        saliency: Whether to find out where the drivers looked, with Grad-CAM of the steering. A map
            that ``nsac-inspect saliency`` has left is shown as it is.
        rerun: A file for the Rerun viewer with the same laps, usually ``*.rrd``.
    """

    saliency: bool = True
    rerun: Path | None = None
