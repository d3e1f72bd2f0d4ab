from .attention import NSAC
from .internals import Internals
from .nac import NAC
from .ornstein_uhlenbeck import ou_moments

__all__ = [
    "NAC",
    "NSAC",
    "Internals",
    "ou_moments",
]
