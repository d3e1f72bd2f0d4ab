"""What ``nsac-maps`` can be asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class ListMaps:
    """List the maps that come with the package."""


@dataclass(frozen=True)
class ShowMap:
    """Describe one map, and draw it.

    Attributes:
        map: Name (`oval`), gymnasium seed (`seed:42`), or path of a JSON file.
        png: Where to write a picture of it, `.png`, or as well `.svg` or `.pdf`; none is written
            if not given.
    """

    map: Annotated[str, tyro.conf.Positional]
    png: Path | None = None


@dataclass(frozen=True)
class ImportMap:
    """Make a map of a real circuit's centre line.

    Attributes:
        file: Rows `x_m,y_m,w_tr_right_m,w_tr_left_m` in driving direction.
        out: The JSON file to write.
        length: About how long a lap should be, in world units; as long as fits if not given. A
            fast driver covers some 1700 in the 1000 steps of gymnasium's episode.
    """

    file: Annotated[Path, tyro.conf.Positional]
    out: Path
    length: float | None = None
