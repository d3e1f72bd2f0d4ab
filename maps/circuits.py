"""Centre lines of real circuits made into maps: scaled, and adapted to the width of our road."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maps.files import text_file
from maps.files.text_file import TextFileError
from maps.shaping import TIGHTEST, fit_road, reach, resample
from maps.track_map import (
    HALF_WIDTH,
    MAXIMUM_POINTS,
    PLAYFIELD,
    MapError,
    TrackMap,
    find_crossing,
    steps,
)

COLUMNS = ("x_m", "y_m", "w_tr_right_m", "w_tr_left_m")
MARGIN = 20.0  # grass between the road and the edge of the playfield, world units
LIMIT = PLAYFIELD - HALF_WIDTH - MARGIN  # greatest |x| and |y| of a centre line
FARTHEST = 3.0 * HALF_WIDTH  # that a centre line may be moved to make room for the road
FAR = 1e8  # metres from the origin that any map's coordinates stay within
LONGEST = 8000.0  # lap that is tried, world units; real circuits are up to 2800 here
ROOM = (TIGHTEST, 1.2 * HALF_WIDTH)  # the reach a road should have; what it has to have

FloatArray = NDArray[np.float64]


def import_centre_line(path: str | Path, length: float | None = None) -> TrackMap:
    """A map from a file of rows `x_m,y_m,w_tr_right_m,w_tr_left_m`, in driving direction.

    The line is centred and scaled, the same in x and y, as large as the playfield allows. Real
    roads are narrower at that scale than ours (half-width 40/6): where bends would be tighter than
    gymnasium's tightest, or the road run into itself, the line is eased (`shaping.fit_road`). How
    far it was moved is said in the map's origin. The widths in the file are checked, not used.

    Args:
        path: The file; a first line that starts with `#` is a heading.
        length: About how long a lap should be (world units); None for the largest that fits.
            A fast driver covers some 1700 in the 1000 steps of gymnasium's episode.

    Raises:
        MapError: When the file is malformed, the line crosses itself, or there is no room.
    """
    path = Path(path)
    metres = _read_rows(path)
    crossing = find_crossing(metres)
    if crossing is not None:
        x, y = metres[crossing[0]]
        raise MapError(
            f"{path}: the centre line crosses itself near x_m {x:.0f}, y_m {y:.0f} (rows "
            f"{crossing[0] + 1} and {crossing[1] + 1}); a flat world has no bridge"
        )
    scale = _scale(path, metres, length)
    middle = (metres.min(axis=0) + metres.max(axis=0)) / 2
    wanted = (metres - middle) * scale
    line, moved = _make_room(path, wanted)
    origin = (
        f"{path.name}, {scale:.4f} world units a metre, moved by at most {moved:.1f} world units"
    )
    return TrackMap(path.stem.lower(), origin, HALF_WIDTH, line)


def _scale(path: Path, metres: FloatArray, length: float | None) -> float:
    """World units a metre."""
    largest = 2.0 * LIMIT / float(np.ptp(metres, axis=0).max())
    if length is None:
        return largest
    scale = length / float(steps(metres).sum())
    if not 0.0 < scale <= largest:
        longest = largest * float(steps(metres).sum())
        raise MapError(f"{path}: a lap of {length:g} does not fit; at most {longest:.0f} do")
    return scale


def _make_room(path: Path, wanted: FloatArray) -> tuple[FloatArray, float]:
    """The line with room for the road, and how far it was moved for it."""
    length = float(steps(wanted).sum())
    if length > LONGEST:
        raise MapError(
            f"{path}: as large as asked for, a lap is {length:.0f} world units long; at most "
            f"{LONGEST:.0f} have room: a shorter --length, or a line that winds less"
        )
    for room in ROOM:
        line = fit_road(wanted, LIMIT, room)
        if line is None:
            continue
        moved = _farthest(line, resample(wanted, 1.0))
        if moved <= FARTHEST:
            return line, moved
    raise MapError(
        f"{path}: no room for the road at this size: half-width {HALF_WIDTH:.2f}, but only "
        f"{reach(resample(wanted)):.2f} fits in its tightest place"
    )


def _farthest(line: FloatArray, wanted: FloatArray) -> float:
    """Greatest distance of a point of `wanted` from the nearest point of `line`."""
    gaps = np.hypot(*(wanted[:, None, :] - line[None, :, :]).transpose(2, 0, 1))
    return float(gaps.min(axis=1).max())


def _read_rows(path: Path) -> FloatArray:
    """The centre line in metres, (n, 2), a closing point at the end left out."""
    try:
        lines = text_file.read(path).splitlines()
    except TextFileError as fault:
        raise MapError(str(fault)) from None
    rows = [
        _read_row(path, number, line)
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.startswith("#")
    ]
    if len(rows) < 16:
        raise MapError(f"{path}: {len(rows)} rows, at least 16 are needed")
    if len(rows) > MAXIMUM_POINTS:
        raise MapError(f"{path}: {len(rows)} rows, at most {MAXIMUM_POINTS} are allowed")
    points = np.array(rows)[:, :2]
    if np.hypot(*(points[-1] - points[0])) < 1e-6:
        points = points[:-1]
    gaps = steps(points)
    if gaps.min() < 1e-6:
        index = int(gaps.argmin()) + 1
        raise MapError(f"{path}: rows {index} and {index + 1} are the same point")
    if gaps[-1] > 3.0 * gaps[:-1].max():
        raise MapError(f"{path}: not closed: {gaps[-1]:.1f} m from the last row to the first")
    return points


def _read_row(path: Path, number: int, line: str) -> list[float]:
    """Four numbers, finite, the widths positive."""
    try:
        row = [float(field) for field in line.split(",")]
    except ValueError:
        row = []
    if len(row) != len(COLUMNS):
        raise MapError(f"{path}, line {number}: wanted the numbers {','.join(COLUMNS)}")
    if not np.abs(row).max() <= FAR or min(row[2:]) <= 0:
        raise MapError(
            f"{path}, line {number}: numbers must be finite and widths positive, within {FAR:.0e}"
        )
    return row
