"""Where the cameras sit, and what a pixel sees."""

import math
from dataclasses import dataclass
from typing import Literal

FOCAL = 138.6
"""Focal length in pixels: 60 degrees of vertical field of view over 160 rows."""

CameraName = Literal["autonomous", "training"]


@dataclass(frozen=True)
class Camera:
    """A pinhole camera fixed to the car, looking forward.

    Attributes:
        right: Of the car's centre line, metres.
        up: Above the road, metres.
        forward: Of the car's origin, metres.
        pitch: Downwards, radians.
    """

    right: float
    up: float
    forward: float
    pitch: float

    @property
    def horizon(self) -> float:
        """Row of the horizon in a frame of 160 rows."""
        return 80.0 - FOCAL * math.tan(self.pitch)


_TRAINING_PITCH = math.radians(9.5)

AUTONOMOUS = Camera(0.002, 0.971, 1.354, math.radians(3.97))
CENTRE = Camera(0.0, 1.2, 1.0, _TRAINING_PITCH)
LEFT = Camera(-0.806, 1.2, 0.984, _TRAINING_PITCH)
RIGHT = Camera(0.825, 1.2, 0.999, _TRAINING_PITCH)

CAMERAS: dict[CameraName, Camera] = {"autonomous": AUTONOMOUS, "training": CENTRE}
"""The camera whose picture a telemetry holds, by mode."""
