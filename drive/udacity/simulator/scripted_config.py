"""How the scripted driver of the stand-in drives."""

import math
from dataclasses import dataclass, fields

from drive.udacity.simulator.errors import SimulatorError


@dataclass(frozen=True)
class ScriptedConfig:
    """How the scripted driver drives.

    Attributes:
        speed: Wanted on straights, mph.
        grip: Sideways acceleration that bends are slowed down to, m/s2.
        lookahead: Distance of the point that is steered for when standing, metres.
        preview: Its growth with speed, seconds.
        disturbance: Standard deviation of what is added to the steering that is driven, smooth
            and random, so that the car leaves its line and comes back; 0 drives cleanly.
        correlation: Seconds after which the disturbance has decayed to 1/e.
    """

    speed: float = 20.0
    grip: float = 6.0
    lookahead: float = 3.0
    preview: float = 0.3
    disturbance: float = 0.0
    correlation: float = 0.6

    def check(self) -> None:
        """Checks the fields.

        Raises:
            SimulatorError: A field is negative, or zero where it may not be.
        """
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not (0 < value < math.inf or (entry.name == "disturbance" and value == 0)):
                raise SimulatorError(f"{entry.name} must be positive, not {value}")
