"""What ``nsac-maps`` does with a configuration: calls the library and prints."""

from maps.circuits import import_centre_line
from maps.config import ImportMap, ListMaps, ShowMap
from maps.console import console
from maps.faults import one_line
from maps.picture import direction, save_picture, summary, tightest
from maps.screen_table import ScreenTable
from maps.store import existing_folder, load, names, save
from maps.track_map import MapError, TrackMap

LONGEST = 1700.0  # that the privileged driver finishes in 1000 steps, world units


def list_maps(_: ListMaps) -> None:
    """Prints a table."""
    tracks = [load(name) for name in names()]
    rows = [
        [t.name, f"{t.length:.0f}", f"{tightest(t):.1f}", direction(t), t.origin] for t in tracks
    ]
    head = ["map", "lap", "tightest radius", "direction", "origin"]
    console(soft_wrap=False).print(ScreenTable(head, rows, words=(0, 3, 4)))
    console().print("besides these: seed:N, gymnasium's track for reset seed N; files", style="dim")


def show_map(config: ShowMap) -> None:
    """Prints a line or two, and writes the picture."""
    with one_line(MapError):
        track = load(config.map)
        _describe(track)
        if config.png is not None:
            save_picture(track, existing_folder(config.png))
            console().print(f"wrote {config.png}")


def import_map(config: ImportMap) -> None:
    """Writes the map and describes it."""
    with one_line(MapError):
        track = import_centre_line(config.file, config.length)
        save(track, config.out)
    _describe(track)
    console().print(f"wrote {config.out}")
    if track.length > LONGEST:
        console().print(
            f"note: a lap over {LONGEST:.0f} world units is hardly finished in the 1000 steps "
            "of gymnasium's episode; --length makes a shorter one"
        )


def _describe(track: TrackMap) -> None:
    console().print(f"{track.name}: {summary(track)}")
    console().print(track.origin, style="dim")
