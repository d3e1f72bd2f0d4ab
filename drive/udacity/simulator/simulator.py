"""The stand-in in one process: a car on a course, its cameras, and where it is."""

import math
from dataclasses import dataclass

from drive.track import LapProgress, wrap_angle
from drive.udacity.frame_shape import Frame
from drive.udacity.simulator.cameras import CAMERAS, CENTRE, LEFT, RIGHT, CameraName
from drive.udacity.simulator.course_names import CourseName
from drive.udacity.simulator.courses import COURSES
from drive.udacity.simulator.errors import SimulatorError
from drive.udacity.simulator.renderer import Place, Renderer
from drive.udacity.simulator.vehicle import TICK, Vehicle


@dataclass(frozen=True)
class State:
    """Where the car is.

    Attributes:
        x: Of the car's centre, metres, east positive.
        y: The same, north positive.
        heading: Radians counter-clockwise from +x, in [-pi, pi).
        speed: Metres per second, negative when reversing.
        arc: Of the nearest point of the centre line, metres in [0, lap).
        progress: Metres driven along the centre line since the start, backwards negative.
        laps: The same in laps.
        lateral_error: Distance to the centre line, left positive, metres.
        heading_error: Heading of the car minus that of the road, radians in [-pi, pi).
        off_road: Whether the car's centre is beyond the road's edge.
        time: Since the start, seconds.
    """

    x: float
    y: float
    heading: float
    speed: float
    arc: float
    progress: float
    laps: float
    lateral_error: float
    heading_error: float
    off_road: bool
    time: float


class Simulator:
    """A car on a course; the same commands give the same states and frames, bit for bit.

    Args:
        track: ``lake`` or ``jungle``.
        camera: ``autonomous`` or ``training``: which camera `frame` shows.
        seed: Of the landscape: hills, plants, textures. The road is the same.

    Attributes:
        track: Centre line and width of the road, metres.
        camera: As given.

    Raises:
        SimulatorError: Unknown track or camera, or a negative seed.
    """

    def __init__(
        self, track: CourseName = "lake", camera: CameraName = "autonomous", seed: int = 0
    ) -> None:
        if track not in COURSES:
            raise SimulatorError(f"track is one of {', '.join(COURSES)}, not {track!r}")
        if camera not in CAMERAS:
            raise SimulatorError(f"camera is one of {', '.join(CAMERAS)}, not {camera!r}")
        if seed < 0:
            raise SimulatorError(f"seed must not be negative, not {seed}")
        self.camera = camera
        self.track = COURSES[track].track
        self._renderer = Renderer(track, seed)
        self._camera = CAMERAS[camera]
        self._vehicle = Vehicle()
        self.reset()

    @property
    def state(self) -> State:
        """Where the car is."""
        return self._state

    def reset(self, arc: float = 0.0, lateral: float = 0.0, heading: float = 0.0) -> State:
        """Puts the car down, at rest, and starts clock and progress anew.

        Args:
            arc: Arc length along the centre line, metres.
            lateral: Distance to the centre line, left positive, metres.
            heading: Of the car minus that of the road, radians.

        Raises:
            SimulatorError: A place that is not finite.
        """
        if not all(map(math.isfinite, (arc, lateral, heading))):
            raise SimulatorError(f"a start is finite, not {arc}, {lateral}, {heading}")
        self._ticks = 0
        self._lap = LapProgress(self.track, arc % self.track.length)
        return self._place(arc, lateral, heading, 0.0)

    def put_back(self) -> State:
        """Puts the car on the centre line beside it, along the road; all else goes on."""
        return self._place(self._state.arc, 0.0, 0.0, self._state.speed)

    def step(self, steering: float, throttle: float, seconds: float = TICK) -> State:
        """Drives on with one command.

        Args:
            steering: In [-1, 1], right positive; cut to it.
            throttle: In [-1, 1]; negative brakes above 5 mph and reverses below; cut to it.
            seconds: For how long; rounded to steps of 1/50 s.

        Raises:
            SimulatorError: A command that is not finite.
        """
        if not (math.isfinite(steering) and math.isfinite(throttle)):
            raise SimulatorError(f"a command is two finite numbers, not {steering}, {throttle}")
        steering, throttle = (max(-1.0, min(1.0, value)) for value in (steering, throttle))
        for _ in range(round(seconds / TICK)):
            self._vehicle = self._vehicle.tick(steering, throttle)
            self._ticks += 1
            self._state = self._locate()
        return self._state

    def frame(self) -> Frame:
        """What the chosen camera sees, RGB uint8 ``(160, 320, 3)``."""
        return self._renderer.draw(self._here, self._camera)

    def frames(self) -> tuple[Frame, Frame, Frame]:
        """What the three training cameras see: centre, left, right."""
        centre, left, right = (
            self._renderer.draw(self._here, camera) for camera in (CENTRE, LEFT, RIGHT)
        )
        return centre, left, right

    @property
    def _here(self) -> Place:
        return Place(self._state.x, self._state.y, self._state.heading)

    def _place(self, arc: float, lateral: float, heading: float, speed: float) -> State:
        x, y = self.track.point_at(arc)
        along = float(self.track.heading_at(arc))
        x, y = x - lateral * math.sin(along), y + lateral * math.cos(along)
        self._vehicle = Vehicle(float(x), float(y), along + heading, speed)
        self._state = self._locate()
        return self._state

    def _locate(self) -> State:
        vehicle = self._vehicle
        here = self._lap.update((vehicle.x, vehicle.y))
        return State(
            x=vehicle.x,
            y=vehicle.y,
            heading=float(wrap_angle(vehicle.heading)),
            speed=vehicle.speed,
            arc=here.arc_length,
            progress=self._lap.distance,
            laps=self._lap.progress,
            lateral_error=here.lateral_error,
            heading_error=float(wrap_angle(vehicle.heading - here.heading)),
            off_road=abs(here.lateral_error) > self.track.half_width,
            time=self._ticks * TICK,
        )
