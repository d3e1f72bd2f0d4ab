"""How executed actions differ from the expert's."""

from dataclasses import dataclass
from typing import Annotated

from maps.limits import Share, Within, check_numbers

SHARE = 0.8
"""Of the episodes of a policy that are disturbed where no other share is asked for."""

Strength = Annotated[float, Within(0, 10)]
"""Of a disturbance; full lock and full gas are 1."""


@dataclass(frozen=True)
class Disturbance:
    """How executed actions differ from the expert's.

    With the defaults the privileged driver wanders, leaves the road now and then, comes back and
    still completes its laps; with twice the steering it loses some of them.

    Attributes:
        share: Share of the episodes that are disturbed; the others are driven cleanly. None is
            0.8, and 0 where a person drives.
        steer: Standard deviation of a smooth (Ornstein-Uhlenbeck) disturbance of the steering.
        pedal: The same for gas (positive) and brake (negative).
        correlation: Steps after which the smooth disturbances have decayed to 1/e.
        kick_rate: Probability per step that a kick of the steering begins.
        kick: Largest size of a kick; sizes are uniform in [-kick, kick].
        kick_steps: Longest kick; lengths are uniform in [1, kick_steps].
    """

    share: Share | None = None
    steer: Strength = 0.05
    pedal: Strength = 0.1
    correlation: float = 15.0
    kick_rate: Share = 0.01
    kick: Strength = 0.4
    kick_steps: int = 8

    def check(self) -> None:
        """Checks the fields.

        Raises:
            ValueError: A field is out of its range; the message names it.
        """
        check_numbers(self, prefix="noise.")
