"""The numbers that a network is given for the bytes of a picture."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policies.errors import PolicyError
from policies.foreign.source import Source


@dataclass(frozen=True)
class Scaling:
    """Bytes as a network takes them.

    Attributes:
        floats: Whether as float32; else as they are.
        scale: What floats are divided by; with 1 they go from 0 to 255.
    """

    floats: bool
    scale: float = 1.0

    def __call__(self, observations: NDArray[np.uint8]) -> NDArray[np.uint8] | NDArray[np.float32]:
        """The observations to be given."""
        if not self.floats:
            return observations
        scaled = observations.astype(np.float32)
        return scaled if self.scale == 1.0 else scaled / np.float32(self.scale)


def scaling_of(source: Source, floats: bool) -> Scaling:
    """The scaling that a file's options ask for.

    Args:
        source: With an option ``scale``, or without.
        floats: Whether the network takes float32.

    Raises:
        PolicyError: The scale is no number, or the network takes bytes.
    """
    text = source.options.get("scale", "1")
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0 < scale < float("inf"):
        raise PolicyError(f"scale is {text!r}, expected a number such as 255")
    if "scale" in source.options and not floats:
        raise PolicyError("takes uint8, which is not scaled; leave scale out")
    return Scaling(floats, scale)
