"""Studies: policies x maps x perturbations x seeds from one file, driven in units that resume."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
