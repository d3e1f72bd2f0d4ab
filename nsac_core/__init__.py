"""The mathematics: stochastic attention, uncertainty methods, metrics and the training loop."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
