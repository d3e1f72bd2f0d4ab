"""The two roads of the stand-in, drawn for this project: corners, kerbs, and what lies beside them.

Metres, x east and y north; both are driven counter-clockwise.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from drive.track import Track
from drive.udacity.simulator.course_names import CourseName
from maps.drawings import round_corners
from maps.shaping import resample, smooth

HALF_WIDTH = 3.5
"""Of the road between its edges, metres."""
SPACING = 1.0
EASING = 3.0  # metres over which a straight turns into a bend


@dataclass(frozen=True)
class Course:
    """A closed road.

    Attributes:
        name: What it is called.
        corners: x, y and radius of the bend there, metres; the lap starts half-way along the first
            edge.
        kerb_radius: Bends tighter than this have kerbs, metres.
        bridge: Arc lengths between which the road crosses a stone bridge, metres; none if equal.
    """

    name: CourseName
    corners: tuple[tuple[float, float, float], ...]
    kerb_radius: float
    bridge: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def track(self) -> Track:
        """The centre line, a point every metre."""
        corners = np.array(self.corners)
        rounded = round_corners(corners[:, :2], corners[:, 2])
        eased = smooth(resample(rounded, SPACING), EASING, SPACING)
        return Track(resample(eased, SPACING), HALF_WIDTH)

    def on_bridge(self, arc: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Whether arc lengths in [0, lap) lie on the bridge."""
        return np.asarray((arc >= self.bridge[0]) & (arc < self.bridge[1]))


LAKE = Course(
    "lake",
    (
        *((-185, -100, 55), (60, -118, 90), (185, -80, 42), (190, 45, 27), (98, 58, 25)),
        *((92, 128, 19.2), (-55, 140, 60), (-115, 85, 60), (-195, 75, 42)),
    ),
    kerb_radius=60.0,
    bridge=(556.0, 626.0),
)
"""Wide bends, mostly to the left, past a lake; one tight left bend and two to the right."""

JUNGLE = Course(
    "jungle",
    (
        *((-150, -95, 30), (-60, -110, 26), (-25, -55, 17), (40, -50, 17), (75, -115, 24)),
        *((160, -95, 26), (165, -20, 15.5), (95, -5, 15), (100, 40, 15), (170, 55, 17)),
        *((150, 115, 28), (40, 110, 30), (15, 45, 16), (-45, 40, 16), (-70, 95, 24)),
        *((-160, 85, 26), (-165, 20, 15), (-100, 0, 15.2), (-110, -40, 15), (-165, -50, 15.5)),
    ),
    kerb_radius=0.0,
)
"""Tight bends to both sides between steep slopes and trees, in and out of their shadows."""

COURSES: dict[CourseName, Course] = {course.name: course for course in (LAKE, JUNGLE)}
