"""Writes a recording as the simulator does: ``driving_log.csv`` beside a folder ``IMG``.

A row is ``center,left,right,steering,throttle,brake,speed`` without a header: absolute paths of the
pictures, steering in [-1, 1] (right positive), throttle and brake in [0, 1], speed in mph.
``drive.udacity.recordings`` reads what is written here, and what others wrote.
"""

import errno
import math
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from drive.udacity import frames
from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.frame_shape import Frame

LOG_NAME = "driving_log.csv"
IMAGE_FOLDER = "IMG"
CAMERAS = ("center", "left", "right")
"""The cameras in the order of the columns; the names of their pictures start with these."""

RANGES = {
    "steering": (-1.0, 1.0),
    "throttle": (0.0, 1.0),
    "brake": (0.0, 1.0),
    "speed": (0.0, math.inf),
}
"""Smallest and largest value of each number of a row, in the order of the columns."""


class DrivingLog:
    """A recording that grows row by row, and is whole whenever the process is killed.

    A row is written in one piece after its pictures, so that every row has them; of one that finds
    no room nothing stays, nor of a recording without a row. A recording that exists is appended to;
    the half of a row that a power cut may have left at its end stays a line of its own, which a
    reader names.

    Args:
        folder: Where the recording lies; made if need be.

    Attributes:
        folder: Absolute path of the recording.
        rows: How many rows this object has written.

    Raises:
        DrivingLogError: If the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.rows = 0
        self._images = self.folder / IMAGE_FOLDER
        self._new = not (self.folder / LOG_NAME).exists()
        self._fault: DrivingLogError | None = None
        try:
            self._images.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.folder / LOG_NAME, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as fault:
            raise DrivingLogError(f"{folder}: cannot be written ({fault.strerror})") from None
        _end_last_line(self._file)

    def append(
        self,
        images: Sequence[Frame | bytes],
        *,
        steering: float,
        throttle: float,
        brake: float,
        speed: float,
        moment: datetime,
    ) -> None:
        """Writes the pictures of one moment, then its row.

        Args:
            images: Those of the centre, left and right camera, or of the centre alone; RGB uint8
                ``(160, 320, 3)``, or the JPEG that it came as.
            steering: In [-1, 1], right positive.
            throttle: In [0, 1].
            brake: In [0, 1].
            speed: In mph.
            moment: When they were taken, which names the pictures; moved on by milliseconds
                while that name is taken.

        Raises:
            DrivingLogError: If a number is out of its range, and nothing is written then; or if
                the row cannot be written.
            drive.udacity.frames.FrameError: If an array is no frame.
        """
        if len(images) not in (1, len(CAMERAS)):
            raise DrivingLogError(f"a row has 1 or {len(CAMERAS)} images, got {len(images)}")
        values = (steering, throttle, brake, speed)
        numbers = [_number(*pair) for pair in zip(RANGES, values, strict=True)]
        jpegs = [image if isinstance(image, bytes) else frames.encode(image) for image in images]
        paths = self._free_paths(moment)[: len(jpegs)]
        absent = [""] * (len(CAMERAS) - len(paths))
        row = ",".join([*map(str, paths), *absent, *numbers])
        size = os.fstat(self._file).st_size
        try:
            for path, jpeg in zip(paths, jpegs, strict=True):
                path.write_bytes(jpeg)
            _write_line(self._file, row)
        except OSError as fault:
            os.ftruncate(self._file, size)
            for path in paths:
                path.unlink(missing_ok=True)
            reason = f"{self.folder}: cannot be written ({fault.strerror})"
            self._fault = DrivingLogError(reason)
            raise DrivingLogError(reason) from None
        self.rows += 1

    def check(self) -> None:
        """Tells whoever looks on, perhaps in another thread, that a row has been lost.

        Raises:
            DrivingLogError: One could not be written, as on a full disk.
        """
        if self._fault is not None:
            raise self._fault

    def close(self) -> None:
        """Closes the file; may be called again."""
        if self._file < 0:
            return
        empty = os.fstat(self._file).st_size == 0
        os.close(self._file)
        self._file = -1
        if self._new and empty:
            (self.folder / LOG_NAME).unlink(missing_ok=True)
            with suppress(OSError):  # it was there before, with pictures
                self._images.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _free_paths(self, moment: datetime) -> list[Path]:
        """The simulator's names of a moment's pictures, of which none exists."""
        while True:
            stamp = f"{moment:%Y_%m_%d_%H_%M_%S}_{moment.microsecond // 1000:03d}"
            paths = [self._images / f"{camera}_{stamp}.jpg" for camera in CAMERAS]
            if not any(path.exists() for path in paths):
                return paths
            moment += timedelta(milliseconds=1)


def _number(name: str, value: float) -> str:
    """A number as the simulator writes it: a float32 in as few decimals as tell it, no exponent."""
    low, high = RANGES[name]
    if not (low <= value <= high and math.isfinite(value)):
        raise DrivingLogError(f"{name} must lie in [{low:g}, {high:g}], got {value}")
    return np.format_float_positional(np.float32(value), trim="-")


def _write_line(file: int, text: str) -> None:
    """Writes a line of its own, even after one that a full disk has cut off."""
    _end_last_line(file)
    line = f"{text}\n".encode(errors="surrogateescape")
    if os.write(file, line) < len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _end_last_line(file: int) -> None:
    """Ends a line without an end, so that no row is written onto it."""
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        os.write(file, b"\n")
