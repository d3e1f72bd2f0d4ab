"""Reads recordings of the simulator, whoever wrote them; every line that is skipped is listed."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from drive.udacity import frames
from drive.udacity.driving_log import CAMERAS, IMAGE_FOLDER, LOG_NAME
from drive.udacity.driving_log_error import DrivingLogError
from drive.udacity.frames import FrameError
from drive.udacity.log_lines import Cause, LineError, parse

_SEPARATORS = re.compile(r"[/\\]+")


@dataclass(frozen=True)
class Row:
    """One moment of a recording.

    Attributes:
        line: Number of its line in the log, from 1.
        centre: The centre camera's image, which exists.
        left: The left camera's, or None.
        right: The right camera's, or None.
        steering: In [-1, 1], right positive.
        throttle: In [0, 1].
        brake: In [0, 1].
        speed: In mph.
    """

    line: int
    centre: Path
    left: Path | None
    right: Path | None
    steering: float
    throttle: float
    brake: float
    speed: float


@dataclass(frozen=True)
class Fault:
    """What is wrong with a line.

    Attributes:
        line: Its number, from 1.
        cause: Which kind of fault.
        detail: What was found, and what would be right.
        skipped: Whether the line gives no row; else it goes without the image of a side camera.
    """

    line: int
    cause: Cause
    detail: str
    skipped: bool = True


@dataclass(frozen=True)
class Recording:
    """A recording as it was read.

    Attributes:
        log: The file that was read.
        rows: The rows that can be used, in the order of the file.
        faults: The lines that cannot, and images that are not there.
    """

    log: Path
    rows: tuple[Row, ...]
    faults: tuple[Fault, ...]

    def causes(self) -> Counter[Cause]:
        """How many faults there are of each cause."""
        return Counter(fault.cause for fault in self.faults)


def read(path: Path, decode: bool = False) -> Recording:
    """Reads a recording.

    Separators, decimals and paths may be any of those met in the wild: a path is looked for as it
    is given, then from the log's folder, then by its last part in ``IMG`` beside the log.

    Args:
        path: The recording's folder, or its log.
        decode: Whether each image is decoded, which finds damaged ones; else only those that are
            missing or empty are found.

    Raises:
        drive.udacity.driving_log.DrivingLogError: If there is no log, or it cannot be read.
    """
    log = path / LOG_NAME if path.is_dir() else path
    if not log.is_file():
        raise DrivingLogError(f"{path}: no recording, expected a folder with {LOG_NAME}")
    try:
        text = log.read_bytes().decode("utf-8-sig", errors="surrogateescape")
    except OSError as fault:
        raise DrivingLogError(f"{log}: cannot be read ({fault.strerror})") from None
    return _Reading(log, decode).recording(text)


class _Reading:
    """The reading of one log, which collects rows and faults."""

    def __init__(self, log: Path, decode: bool) -> None:
        self.log, self.decode = log, decode
        self.rows: list[Row] = []
        self.faults: list[Fault] = []
        self.seen: set[Path] = set()

    def recording(self, text: str) -> Recording:
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        for number, line in enumerate(lines, start=1):
            try:
                self.rows.append(self._row(number, line.removesuffix("\r")))
            except LineError as fault:
                self.faults.append(Fault(number, fault.cause, str(fault)))
        return Recording(self.log, tuple(self.rows), tuple(self.faults))

    def _row(self, number: int, text: str) -> Row:
        line = parse(text)
        centre = self._image(line.images[0])
        if (same := centre.resolve()) in self.seen:  # however either row writes its path
            raise LineError("repeated row", f"{centre} has a row already")
        self.seen.add(same)
        left, right = (
            self._side_image(number, camera, given)
            for camera, given in zip(CAMERAS[1:], line.images[1:], strict=True)
        )
        numbers = (line.steering, line.throttle, line.brake, line.speed)
        return Row(number, centre, left, right, *numbers)

    def _side_image(self, number: int, camera: str, given: str) -> Path | None:
        """A side camera's image; the row does without it where it is faulty."""
        if not given:
            return None
        try:
            return self._image(given)
        except LineError as fault:
            detail = f"{camera}: {fault}"
            self.faults.append(Fault(number, fault.cause, detail, skipped=False))
            return None

    def _image(self, given: str) -> Path:
        """The image's path, once it is found whole."""
        path = _found(self.log.parent, given)
        if path is None:
            raise LineError("missing image", f"{given} is not found, nor is it in {IMAGE_FOLDER}")
        if not path.stat().st_size:
            raise LineError("empty image", f"{path} has 0 bytes")
        if self.decode:
            try:
                frames.decode(path.read_bytes())
            except (FrameError, OSError) as fault:
                raise LineError("damaged image", f"{path}: {fault}") from None
        return path


def _found(folder: Path, given: str) -> Path | None:
    """Where an image lies that a log in this folder names, if it does."""
    parts = _SEPARATORS.split(given)
    # A relative path is the log's, not that of the folder the program happens to run in.
    absolute = [Path(given)] if Path(given).is_absolute() else []
    relative = folder.joinpath(*[part for part in parts if part])
    for path in (*absolute, relative, folder / IMAGE_FOLDER / parts[-1]):
        try:
            if path.is_file():
                return path
        except (OSError, ValueError):  # a name too long, or with a zero byte
            continue
    return None
