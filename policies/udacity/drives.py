"""Recorded drives to learn from: their rows in order of time, split by contiguous time."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from drive.udacity import recordings
from drive.udacity.recordings import Fault, Recording, Row
from policies.errors import PolicyError

BLOCK = 60
"""Rows of a block that goes to one part as a whole: about 4 s."""

GAP = 15
"""Rows, about 1 s, that are left out where parts meet: neighbours show nearly the same."""

_PAUSE = 2.0
"""Seconds between two rows that make them two sessions; the simulator's own gaps reach 0.5 s."""

_STAMP = re.compile(r"(\d+)_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)$")


@dataclass(frozen=True)
class Drives:
    """Rows of one or more recordings, or a part of them.

    Attributes:
        rows: In the order of time within a session.
        sessions: Number of the session of each row, int64 ``(rows,)``: rows of one session follow
            one another without a pause.
        places: Where each row stands in the whole, int64 ``(rows,)``.
        folders: Of the recordings.
        faults: What their reading skipped.
    """

    rows: tuple[Row, ...]
    sessions: NDArray[np.int64]
    places: NDArray[np.int64]
    folders: tuple[Path, ...]
    faults: tuple[Fault, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def steering(self) -> NDArray[np.float32]:
        """Of each row, ``(rows,)``."""
        return np.array([row.steering for row in self.rows], dtype=np.float32)

    def sha256(self) -> str:
        """Tells any other rows from these, by all their numbers and every byte of their images."""
        digest = hashlib.sha256()
        for row in self.rows:
            images = [image for image in (row.centre, row.left, row.right) if image is not None]
            names = [image.name for image in images]
            numbers = (row.steering, row.throttle, row.brake, row.speed)
            digest.update(f"{names} {numbers}\n".encode())
            for image in images:
                digest.update(hashlib.sha256(image.read_bytes()).digest())
        return digest.hexdigest()

    def split(
        self, shares: Sequence[float], seed: int, block: int = BLOCK, gap: int = GAP
    ) -> "tuple[Drives, ...]":
        """Deals blocks of contiguous time out to parts, such as training, validation and test.

        Where two parts meet within a session, rows of the earlier-named part are left out.

        Args:
            shares: Of the parts; each gets one block at least.
            seed: Another seed, another deal.
            block: Rows of a block; the last of a session may be longer, by less than as many.
            gap: Rows that are left out where parts meet.

        Raises:
            PolicyError: There are fewer blocks than parts, or a part keeps no row.
        """
        blocks = self._blocks(block)
        count = int(blocks[-1]) + 1 if len(blocks) else 0
        if count < len(shares):
            raise PolicyError(
                f"{len(self)} rows are {count} blocks of {block}, too few to split into "
                f"{len(shares)} parts: record more"
            )
        part_of_block = _dealt(count, shares, np.random.default_rng(seed))
        parts = part_of_block[blocks]
        kept = ~self._near_later(parts, gap)
        split = tuple(self.taken((parts == part) & kept) for part in range(len(shares)))
        for part, drives in enumerate(split):
            if not len(drives):
                raise PolicyError(f"part {part} of the split keeps no row: record more")
        return split

    def taken(self, chosen: NDArray[np.bool_]) -> "Drives":
        """The chosen rows."""
        numbers = np.flatnonzero(chosen)
        rows = tuple(self.rows[number] for number in numbers)
        return replace(
            self, rows=rows, sessions=self.sessions[numbers], places=self.places[numbers]
        )

    def _blocks(self, block: int) -> NDArray[np.int64]:
        """Number of the block of each row."""
        blocks = np.zeros(len(self), dtype=np.int64)
        first = 0
        for session in dict.fromkeys(self.sessions.tolist()):
            rows = np.flatnonzero(self.sessions == session)
            count = max(1, len(rows) // block)
            blocks[rows] = first + np.minimum(np.arange(len(rows)) // block, count - 1)
            first += count
        return blocks

    def _near_later(self, parts: NDArray[np.int64], gap: int) -> NDArray[np.bool_]:
        """Which rows lie near a row, of the same session, of a part named later."""
        near = np.zeros(len(self), dtype=bool)
        for apart in range(1, min(gap, len(self) - 1) + 1):
            same = self.sessions[apart:] == self.sessions[:-apart]
            near[:-apart] |= same & (parts[apart:] > parts[:-apart])
            near[apart:] |= same & (parts[:-apart] > parts[apart:])
        return near


def load(folders: Sequence[Path]) -> Drives:
    """Reads recordings, and decodes each image once, so that no training meets a damaged one.

    Raises:
        drive.udacity.driving_log.DrivingLogError: A recording cannot be read.
        PolicyError: There is no row in one, or it is there twice, as a copy perhaps: its rows could
            lie in training and in validation.
    """
    seen: dict[str, Path] = {}
    rows: list[Row] = []
    sessions: list[int] = []
    faults: list[Fault] = []
    for folder in folders:
        recording = recordings.read(folder, decode=True)
        if not recording.rows:
            raise PolicyError(f"{recording.log}: holds no row that can be used")
        identity = _identity(recording)
        if identity in seen:
            raise PolicyError(f"{folder} holds the recording of {seen[identity]}: name it once")
        seen[identity] = folder
        first = sessions[-1] + 1 if sessions else 0
        sessions += [first + number for number in _sessions(recording)]
        rows += recording.rows
        faults += recording.faults
    places = np.arange(len(rows), dtype=np.int64)
    return Drives(tuple(rows), np.array(sessions), places, tuple(folders), tuple(faults))


def _identity(recording: Recording) -> str:
    """Tells recordings apart by what they hold: the log, and the first image."""
    digest = hashlib.sha256(recording.log.read_bytes())
    digest.update(recording.rows[0].centre.read_bytes())
    return digest.hexdigest()


def _sessions(recording: Recording) -> Iterator[int]:
    """Number of the session of each row, by the moments that the images' names tell."""
    moments = [_seconds(row.centre) for row in recording.rows]
    yield (number := 0)
    for before, after in pairwise(moments):
        known = before is not None and after is not None
        if known and not -_PAUSE < after - before < _PAUSE:  # type: ignore[operator]
            number += 1
        yield number


def _seconds(image: Path) -> float | None:
    """When an image was taken, in seconds from any moment; None where its name does not say."""
    found = _STAMP.search(image.stem)
    if found is None:
        return None
    year, month, day, hour, minute, second, millisecond = map(int, found.groups())
    days = (12 * year + month) * 31 + day
    return ((24 * days + hour) * 60 + minute) * 60 + second + millisecond / 1000


def _dealt(count: int, shares: Sequence[float], rng: np.random.Generator) -> NDArray[np.int64]:
    """Number of the part that each of ``count`` blocks goes to; no part goes without.

    Each part is spread evenly over the drive: bends are few, and a part without any tells nothing.
    """
    sizes = np.maximum(1, np.round(count * np.asarray(shares) / sum(shares)).astype(int))
    while sizes.sum() != count:
        sizes[np.argmax(sizes)] += 1 if sizes.sum() < count else -1
    places = [(np.arange(size) + rng.random(size)) / size for size in sizes]
    return np.repeat(np.arange(len(shares)), sizes)[np.argsort(np.concatenate(places))]
