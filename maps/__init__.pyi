from .circuits import import_centre_line
from .store import digests, expand, load, names, read, save
from .track_map import MapError, TrackMap

__all__ = [
    "MapError",
    "TrackMap",
    "digests",
    "expand",
    "import_centre_line",
    "load",
    "names",
    "read",
    "save",
]
