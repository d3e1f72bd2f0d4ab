"""A stand-in for the Udacity simulator: courses, cameras, a car, and the client of the bridge."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
