"""How the car moves: a kinematic bicycle with the speed dynamics measured of the real one."""

import math
from dataclasses import dataclass, replace

TICK = 0.02
"""Seconds of one physics step."""
WHEELBASE = 2.87
"""Metres between the axles."""
MAX_STEER = math.radians(25.0)
"""Angle of the front wheels at a steering of 1, radians."""
TOP_SPEED = 13.41
"""Metres per second, 30 mph."""
MPH = 0.44704
"""Metres per second in a mile per hour."""

ENGINE = 5.3
DRAG = 0.1
BRAKE = 8.5
REVERSE = 1.0
REVERSE_BELOW = 5.0 * MPH


@dataclass(frozen=True)
class Vehicle:
    """The car's state.

    Attributes:
        x: Of the point midway between the axles, metres.
        y: The same, metres.
        heading: Of the body, radians counter-clockwise from +x, not wrapped.
        speed: Metres per second, negative when reversing.
    """

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    speed: float = 0.0

    def tick(self, steering: float, throttle: float) -> "Vehicle":
        """One step of `TICK` seconds.

        Args:
            steering: In [-1, 1], right positive, of `MAX_STEER`; the wheels follow at once.
            throttle: In [-1, 1]; negative brakes above 5 mph and reverses below.
        """
        speed = _next_speed(self.speed, throttle)
        angle = -MAX_STEER * steering
        slip = math.atan(0.5 * math.tan(angle))
        distance = 0.5 * (self.speed + speed) * TICK
        turn = 2.0 * distance / WHEELBASE * math.sin(slip)
        # The chord of the arc driven, so that circles come out round whatever the step.
        course = self.heading + slip + 0.5 * turn
        return replace(
            self,
            x=self.x + distance * math.cos(course),
            y=self.y + distance * math.sin(course),
            heading=self.heading + turn,
            speed=speed,
        )


def _next_speed(speed: float, throttle: float) -> float:
    """dv/dt = 5.3 throttle - 0.1 v; the pedal's other half brakes, and reverses once slow."""
    if throttle >= 0.0:
        push = ENGINE * throttle
    elif speed > REVERSE_BELOW:
        push = BRAKE * throttle
    else:
        push = REVERSE * throttle
    return max(-TOP_SPEED, min(TOP_SPEED, speed + (push - DRAG * speed) * TICK))
