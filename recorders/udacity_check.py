"""Says what is wrong with a recording of the Udacity simulator, row by row."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from drive.udacity.recordings import Recording, read

HARMLESS = ("header", "blank line")
"""Causes of a skipped line by which nothing is lost."""


@dataclass(frozen=True)
class CheckConfig:
    """Which recording is checked.

    Attributes:
        folder: Of the recording, or its ``driving_log.csv``.
    """

    folder: Annotated[Path, tyro.conf.Positional]


@dataclass(frozen=True)
class Finding:
    """What a check came to.

    Attributes:
        recording: As it was read, every image decoded.
        lines: The report.
        sound: Whether no row and no image is lost.
    """

    recording: Recording
    lines: tuple[str, ...]
    sound: bool


def check(config: CheckConfig) -> Finding:
    """Reads a recording and decodes every image.

    Raises:
        drive.udacity.driving_log.DrivingLogError: If there is none.
    """
    recording = read(config.folder, decode=True)
    lines = [f"{recording.log}: {len(recording.rows)} rows can be used"]
    lines += _contents(recording)
    for cause, times in recording.causes().most_common():
        lines.append(f"{cause}: {times} {'time' if times == 1 else 'times'}")
    for fault in recording.faults:
        consequence = "skipped" if fault.skipped else "used without that image"
        lines.append(f"line {fault.line}: {fault.cause}: {fault.detail} ({consequence})")
    sound = all(fault.cause in HARMLESS for fault in recording.faults)
    return Finding(recording, tuple(lines), sound)


def _contents(recording: Recording) -> list[str]:
    """What the rows hold, in words."""
    rows = recording.rows
    if not rows:
        return []
    steering = np.array([row.steering for row in rows])
    speed = np.array([row.speed for row in rows])
    sides = sum(row.left is not None and row.right is not None for row in rows)
    return [
        f"all three cameras in {sides}, the centre's alone or two in {len(rows) - sides}",
        f"steering {steering.min():.3f} to {steering.max():.3f}, mean {steering.mean():.3f}, "
        f"standard deviation {steering.std():.3f}, exactly 0 in {np.mean(steering == 0):.0%}",
        f"speed {speed.min():.1f} to {speed.max():.1f} mph, mean {speed.mean():.1f}",
    ]
