"""Throttle for a wanted speed: a proportional-integral controller that does not wind up."""

from drive.udacity.commands import REVERSING_SPEED

PERIOD = 0.06
"""Seconds that one telemetry stands for: what the stand-in advances on each reply."""


class SpeedControl:
    """Holds a speed with throttle and brake.

    The output is ``kp * error + integral`` within the pedal's limits. The integral grows by
    ``ki * error * PERIOD`` unless the output is at a limit and the error pushes further, so that a
    long climb at full throttle leaves nothing behind (conditional integration; Astrom and Hagglund,
    PID Controllers, 1995, section 3.5). Below 5 mph it never brakes, as that would reverse. The
    period is a constant: equal telemetry gives equal commands, whatever the clock.

    Args:
        target: Wanted speed, mph.
        kp: Throttle per mph.
        ki: Throttle per mph and second.
    """

    def __init__(self, target: float, kp: float = 0.15, ki: float = 0.04) -> None:
        self.target = target
        self.kp = kp
        self.ki = ki
        self.reset()

    def reset(self) -> None:
        """Forgets the past."""
        self.integral = 0.0

    def throttle(self, speed: float) -> float:
        """What to do at this speed.

        Args:
            speed: mph.

        Returns:
            Throttle in [-1, 1], or in [0, 1] where braking would reverse.
        """
        low = -1.0 if speed > REVERSING_SPEED else 0.0
        error = self.target - speed
        integral = self.integral + self.ki * error * PERIOD
        wanted = self.kp * error + integral
        output = min(max(wanted, low), 1.0)
        if output == wanted or (output - wanted) * error > 0:
            self.integral = integral
        return output
