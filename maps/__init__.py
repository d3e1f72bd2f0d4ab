"""Tracks as data: JSON files, the tracks of gymnasium seeds, and an importer of real circuits."""

from maps.circuits import import_centre_line
from maps.store import expand, load, names, read, save
from maps.track_map import MapError, TrackMap

__all__ = ["MapError", "TrackMap", "expand", "import_centre_line", "load", "names", "read", "save"]
