"""CarRacing-v3 with its physics untouched, one picture a step, maps, colours and the true state."""

import math
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.envs.box2d.car_racing import TRACK_DETAIL_STEP, TRACK_WIDTH, CarRacing
from gymnasium.utils import EzPickle, seeding
from numpy.typing import ArrayLike

import maps
from drive.carracing import box2d_shapes, road
from drive.carracing.colours import ColourScheme
from drive.carracing.observations import Frames
from drive.carracing.scenery import Scenery
from drive.track import LapProgress, Track, wrap_angle

if TYPE_CHECKING:
    from maps.track_map import TrackMap

RendererName = Literal["exact", "fast", "none"]
ObservationName = Literal["rgb96", "gray84"]
EARLY_END = 4 * TRACK_DETAIL_STEP  # the front wheels are on the last tile, the line two tiles on
SHAPES: dict[str, tuple[int, int, int]] = {"rgb96": (96, 96, 3), "gray84": (84, 84, 1)}


class Renderer(Protocol):
    """Draws a world."""

    def render(self, world: "CarRacingWorld") -> Frames:
        """The picture, (96, 96, 3) uint8."""

    def render_gray(self, world: "CarRacingWorld") -> Frames:
        """The picture as SB3's WarpFrame shows it, (84, 84) uint8."""


class CarRacingWorld(CarRacing):
    """Gymnasium's CarRacing made fit for evaluation.

    For the same seed and actions the car's pose, the rewards, visited tiles and episode ends are
    CarRacing-v3's to the last bit. `reset` and `step` return the truth in ``info``:

    * ``position`` (2,), ``heading`` of travel (radians from +x, not wrapped), ``speed``;
    * ``lateral_error`` (left positive), ``heading_error`` (car minus road, in [-pi, pi)) and
      ``curvature`` (left positive) at the nearest point of the centre line;
    * ``progress`` in laps, unwrapped; ``wheels_off_road`` 0 to 4 (those on no tile, as the
      tyres' friction is decided); ``tiles_visited``, ``tiles_total``;
    * ``lap_complete``: at least 95 % of the tiles, and one lap of progress. Once every tile is
      visited gymnasium ends the episode, a few tiles before the line: that lap is complete
      too, if they were visited forwards. It stays true until the next reset.

    Lengths are world units, times seconds.

    Attributes:
        car: The Box2D car (``car.hull``, ``car.wheels``).
        track_geometry: The centre line of the current lap, through gymnasium's tile joints.
        lap: Progress along it.
        track_map: The map driven, or None for the track that the reset seed chooses.
        scenery: What the pictures of the current lap show beside gymnasium's world, or None.
    """

    car: Any
    road: Any
    surf: Any
    track: list[road.Station]
    track_geometry: Track
    lap: LapProgress

    def __init__(
        self,
        render_mode: str | None = None,
        *,
        renderer: RendererName = "exact",
        observation: ObservationName = "rgb96",
        map: "str | TrackMap | None" = None,  # noqa: A002 - the public name
        colours: ColourScheme | None = None,
        continuous: bool = True,
    ) -> None:
        """Build the world.

        Args:
            render_mode: Gymnasium's, for `render`; independent of what is observed.
            renderer: ``exact``: gymnasium's picture; ``fast``: a close one, an order of magnitude
                sooner; ``none``: black pictures, for drivers that do not look.
            observation: ``rgb96``: (96, 96, 3), or ``gray84``: (84, 84, 1), SB3's WarpFrame.
            map: Name, path or map to drive on; None for the tracks of the reset seeds.
            colours: Of road and grass; a reset option ``colours`` replaces them for one lap.
            continuous: Steer, gas and brake; False for gymnasium's five discrete actions.

        Raises:
            ValueError: Unknown renderer, observation or map.
        """
        super().__init__(render_mode=render_mode, continuous=continuous)
        EzPickle.__init__(
            self,
            render_mode,
            renderer=renderer,
            observation=observation,
            map=map,
            colours=colours,
            continuous=continuous,
        )
        box2d_shapes.take_shape(self.fd_tile)
        if observation not in SHAPES:
            raise ValueError(f"observation is one of {', '.join(SHAPES)}, not {observation!r}")
        self.track_map = maps.load(map) if isinstance(map, str) else map
        self.colours = colours or ColourScheme()
        self._shape = SHAPES[observation]
        self.observation_space = spaces.Box(0, 255, self._shape, np.uint8)
        self._gray = observation == "gray84"
        self._renderer = _renderer(renderer)
        self.scenery: Scenery | None = None
        self._lap_complete = False

    @property
    def half_width(self) -> float:
        """Half the width of the road, world units."""
        return TRACK_WIDTH if self.track_map is None else self.track_map.half_width

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Frames, dict[str, Any]]:
        """Start a new lap.

        Args:
            seed: Chooses the track where the world has no map.
            options: ``colours``: a `ColourScheme`, and ``scenery``: a `Scenery`, for this lap.

        Returns:
            The observation and the truth.
        """
        scheme = (options or {}).get("colours") or self.colours
        self.scenery = (options or {}).get("scenery")
        self.road_color = np.array(scheme.road)
        self.bg_color = np.array(scheme.background)
        self.grass_color = np.array(scheme.grass)
        self._lap_complete = False
        with box2d_shapes.shapes_of_cars_freed():
            observation, _ = super().reset(seed=seed, options=options)
        return observation, self._truth()

    def step(
        self,
        action: ArrayLike | None,
    ) -> tuple[Frames, float, bool, bool, dict[str, Any]]:
        """Drive for 1/50 s.

        Args:
            action: Steer in [-1, 1] (right positive), gas and brake in [0, 1], (3,); None keeps the
                controls as they are and earns nothing.
        """
        if action is not None and self.continuous:
            action = np.asarray(action)
        observation, reward, terminated, truncated, info = super().step(action)  # type: ignore[arg-type]
        if action is not None:  # without an action it is gymnasium's reset that steps
            info.update(self._truth())
        return observation, float(reward), terminated, truncated, info

    def render(self) -> Any:  # noqa: ANN401 - depends on the mode
        """Gymnasium's picture for people, by its own code: see ``render_mode``."""
        if self.render_mode is None:
            return super().render()  # type: ignore[no-untyped-call]
        return super()._render(self.render_mode)

    def close(self) -> None:
        """Close the window, if ``render_mode`` opened one, and let go of what Box2D holds.

        Its bodies and its contact listener refer to one another and to this world beyond the sight
        of Python's garbage collector, which would keep 140 kB of every world for good.
        """
        super().close()  # type: ignore[no-untyped-call]
        self._destroy()
        self.world.contactListener = None
        self.world.contactListener_bug_workaround = None

    def _destroy(self) -> None:
        """Destroy the bodies of a lap; those that know themselves would stay."""
        if self.road:
            for body in (*self.road, self.car.hull, *self.car.wheels):
                body.userData = None
        super()._destroy()  # type: ignore[no-untyped-call]

    def _render(self, mode: str) -> Frames:  # noqa: ARG002
        """What gymnasium's step shows the driver; `render` never comes here."""
        if self._renderer is None:
            return np.zeros(self._shape, dtype=np.uint8)
        if self._gray:
            return self._renderer.render_gray(self)[..., None]
        return self._renderer.render(self)

    def _create_track(self) -> bool:
        """Lay the road: gymnasium's for a seed, a map's own otherwise; False asks to try again."""
        if self.track_map is None:
            laid = bool(super()._create_track())  # type: ignore[no-untyped-call]
        elif self.track_map.seed is not None:
            laid = self._create_seeded_track(self.track_map.seed)
        else:
            self.track = road.stations(self.track_map)
            road.lay_tiles(self, self.track, self.half_width)
            laid = True
        if laid:
            self.track_geometry = Track([row[2:4] for row in self.track], self.half_width)
            self.lap = LapProgress(self.track_geometry)
        return laid

    def _create_seeded_track(self, seed: int) -> bool:
        """The track that ``reset(seed)`` makes, leaving the world's own generator alone."""
        own = self._np_random
        self._np_random, _ = seeding.np_random(seed)
        try:
            while not super()._create_track():  # type: ignore[no-untyped-call]
                pass
        finally:
            self._np_random = own
        return True

    def _truth(self) -> dict[str, Any]:
        hull = self.car.hull
        x, y = hull.position
        vx, vy = hull.linearVelocity
        heading = hull.angle + math.pi / 2
        on_track = self.lap.update((x, y))
        progress = self.lap.progress
        visited, total = self.tile_visited_count, len(self.track)
        early = EARLY_END / self.track_geometry.length if visited == total else 0.0
        self._lap_complete |= visited >= 0.95 * total and progress >= 1.0 - early
        return {
            "position": np.array((x, y)),
            "heading": heading,
            "speed": math.hypot(vx, vy),
            "lateral_error": on_track.lateral_error,
            "heading_error": float(wrap_angle(heading - on_track.heading)),
            "curvature": on_track.curvature,
            "progress": progress,
            "lap_complete": self._lap_complete,
            "wheels_off_road": sum(not wheel.tiles for wheel in self.car.wheels),
            "tiles_visited": visited,
            "tiles_total": total,
        }


def _renderer(name: str) -> Renderer | None:
    """The renderer of a name; each is imported only where it is used."""
    if name == "exact":
        from drive.carracing.exact_renderer import ExactRenderer  # noqa: PLC0415

        return ExactRenderer()
    if name == "fast":
        from drive.carracing.fast_renderer import FastRenderer  # noqa: PLC0415

        return FastRenderer()
    if name == "none":
        return None
    raise ValueError(f"renderer is exact, fast or none, not {name!r}")
