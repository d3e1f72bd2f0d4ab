"""`nsac-maps`: list, show and import maps."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from maps.circuits import import_centre_line
from maps.faults import one_line
from maps.picture import direction, save_picture, summary, tightest
from maps.store import existing_folder, load, names, save
from maps.track_map import MapError

LONGEST = 1700.0  # that the privileged driver finishes in 1000 steps, world units


@dataclass(frozen=True)
class ListMaps:
    """List the maps that come with the package."""

    def run(self, console: Console) -> None:
        """Print a table."""
        table = Table(caption="besides these: seed:N, gymnasium's track for reset seed N; files")
        for heading in ("map", "lap", "tightest radius", "direction", "origin"):
            table.add_column(heading, justify="right" if heading in ("lap",) else "left")
        for name in names():
            track = load(name)
            lap, radius = f"{track.length:.0f}", f"{tightest(track):.1f}"
            table.add_row(name, lap, radius, direction(track), track.origin)
        console.print(table)


@dataclass(frozen=True)
class ShowMap:
    """Describe one map, and draw it.

    Attributes:
        map: Name (`oval`), gymnasium seed (`seed:42`), or path of a JSON file.
        png: Where to write a picture of it; none is written if not given.
    """

    map: Annotated[str, tyro.conf.Positional]
    png: Path | None = None

    def run(self, console: Console) -> None:
        """Print a line or two, and write the picture."""
        track = load(self.map)
        console.print(f"{track.name}: {summary(track)}", highlight=False)
        console.print(track.origin, style="dim", highlight=False)
        if self.png is not None:
            save_picture(track, existing_folder(self.png))
            console.print(f"wrote {self.png}", highlight=False)


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

    def run(self, console: Console) -> None:
        """Write the map and describe it."""
        track = import_centre_line(self.file, self.length)
        save(track, self.out)
        console.print(f"{track.name}: {summary(track)}", highlight=False)
        console.print(track.origin, style="dim", highlight=False)
        console.print(f"wrote {self.out}", highlight=False)
        if track.length > LONGEST:
            console.print(
                f"note: a lap over {LONGEST:.0f} world units is hardly finished in the 1000 steps "
                "of gymnasium's episode; --length makes a shorter one",
                highlight=False,
            )


Command = (
    Annotated[ListMaps, tyro.conf.subcommand("list")]
    | Annotated[ShowMap, tyro.conf.subcommand("show")]
    | Annotated[ImportMap, tyro.conf.subcommand("import")]
)


def main(arguments: list[str] | None = None) -> None:
    """Run a command; an unusable map is one line on stderr and exit status 2."""
    command: ListMaps | ShowMap | ImportMap = tyro.cli(
        Command,
        prog="nsac-maps",
        description="List, show and import maps.",
        args=arguments,
    )
    with one_line(MapError):
        command.run(Console(soft_wrap=True))
