"""Tracks as data: JSON files, the tracks of gymnasium seeds, and an importer of real circuits."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
