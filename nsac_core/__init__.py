"""The mathematics: stochastic attention, uncertainty methods, metrics and the training loop."""

from nsac_core.attention import NSAC
from nsac_core.internals import Internals
from nsac_core.nac import NAC
from nsac_core.ornstein_uhlenbeck import ou_moments

__all__ = ["NAC", "NSAC", "Internals", "ou_moments"]
