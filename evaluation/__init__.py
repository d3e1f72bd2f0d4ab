"""Closed-loop evaluation: laps, metrics, statistics, figures and the report."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
