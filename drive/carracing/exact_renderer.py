"""Gymnasium's own picture, pixel for pixel, about four times as fast.

The same pygame calls on the same coordinates in the same order as gymnasium's ``_render``, less
those that leave no trace: polygons outside the picture or under the dashboard. Surfaces and font
are made once, and polygons are culled and transformed in numpy rather than one by one. Where
rounding matters, the arithmetic is the original's: double precision as in
``pygame.math.Vector2``, single precision as in Box2D for the car.
"""

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pygame
from gymnasium.envs.box2d.car_dynamics import SIZE, WHEEL_R, WHEEL_W, WHEEL_WHITE
from gymnasium.envs.box2d.car_racing import (
    GRASS_DIM,
    PLAYFIELD,
    SCALE,
    STATE_H,
    STATE_W,
    WINDOW_H,
    WINDOW_W,
    ZOOM,
)
from numpy.typing import NDArray
from pygame import gfxdraw

from drive.carracing import scenery
from drive.carracing.ground_noise import paint_noise
from drive.carracing.observations import Frames, warp_frame
from drive.carracing.scenery import GroundNoise, Scenery

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld

FloatArray = NDArray[np.float64]
Number = TypeVar("Number", float, NDArray[np.float64])
HIDDEN = WINDOW_H // 8  # rows under the dashboard; the first ones, for the picture is upside down
MARGIN = 2.0  # pixels that a line may reach beyond its ends
VIEW_CENTRE = (WINDOW_W / 2, (HIDDEN + WINDOW_H) / 2)
VIEW_RADIUS = math.hypot(WINDOW_W / 2, (WINDOW_H - HIDDEN) / 2) + MARGIN


class Camera(NamedTuple):
    """From world units to pixels: rotate by ``cosine``, ``sine``, scale by ``zoom``, shift."""

    cosine: float
    sine: float
    zoom: float
    shift: tuple[float, float]

    @classmethod
    def over(cls, world: "CarRacingWorld") -> "Camera":
        """The camera that follows the car, with the zoom of the first second."""
        hull = world.car.hull
        angle = -hull.angle
        zoom = 0.1 * SCALE * max(1 - world.t, 0) + ZOOM * SCALE * min(world.t, 1)
        cosine, sine = pygame.math.Vector2(1, 0).rotate_rad(angle)
        scroll = (-(hull.position[0]) * zoom, -(hull.position[1]) * zoom)
        x, y = pygame.math.Vector2(scroll).rotate_rad(angle)
        return cls(cosine, sine, zoom, (WINDOW_W / 2 + x, WINDOW_H / 4 + y))

    def pixels(self, points: FloatArray) -> FloatArray:
        """World points (..., 2) in pixels."""
        x, y = points[..., 0], points[..., 1]
        pixels = np.empty(points.shape)
        pixels[..., 0] = (self.cosine * x - self.sine * y) * self.zoom + self.shift[0]
        pixels[..., 1] = (self.sine * x + self.cosine * y) * self.zoom + self.shift[1]
        return pixels

    def ground(self, column: Number, row: Number) -> tuple[Number, Number]:
        """The world points under pixels, rows counted upwards."""
        x = (column - self.shift[0]) / self.zoom
        y = (row - self.shift[1]) / self.zoom
        return self.cosine * x + self.sine * y, self.cosine * y - self.sine * x

    def view_centre(self) -> tuple[float, float]:
        """The world point in the middle of what is seen above the dashboard."""
        return self.ground(*VIEW_CENTRE)


class Ground:
    """Grass and road of one lap as arrays, in drawing order.

    Attributes:
        source: The world's ``road_poly`` they were made from; its colours are read at each frame,
            for tiles change colour when they are visited.
        corners: (n, 4, 2) world units, the patches of grass first.
        patches: How many they are.
    """

    def __init__(self, source: list[Any]) -> None:
        self.source = source
        grass = _grass_patches()
        self.patches = len(grass)
        roads = np.array([corners for corners, _ in source], dtype=np.float64).reshape(-1, 4, 2)
        self.corners = np.concatenate([grass, roads])
        self._centres = self.corners.mean(axis=1)
        self._radii = np.hypot(*(self.corners - self._centres[:, None]).transpose(2, 0, 1)).max(1)

    def visible(self, camera: Camera) -> tuple[list[int], list[Any]]:
        """Indices of the polygons that show, and their corners in pixels."""
        x, y = camera.view_centre()
        reach = self._radii + VIEW_RADIUS / camera.zoom
        near = (self._centres[:, 0] - x) ** 2 + (self._centres[:, 1] - y) ** 2 < reach**2
        indices = np.flatnonzero(near)
        pixels = camera.pixels(self.corners[indices])
        low, high = pixels.min(axis=1), pixels.max(axis=1)
        seen = (high[:, 0] >= -MARGIN) & (low[:, 0] <= WINDOW_W + MARGIN)
        seen &= (high[:, 1] >= HIDDEN - MARGIN) & (low[:, 1] <= WINDOW_H + MARGIN)
        return indices[seen].tolist(), pixels[seen].tolist()


class ExactRenderer:
    """Draws what gymnasium shows an agent: ``state_pixels`` of a CarRacing world.

    pygame's smoothscale works along the rows first, then along the columns. Done in two calls, the
    picture can be turned upright in between, when a tenth of it is left.
    """

    def __init__(self) -> None:
        self._font = _font()
        self._upside_down = pygame.Surface((WINDOW_W, WINDOW_H), depth=32)
        self._dashboard = pygame.Surface((WINDOW_W, WINDOW_H), depth=32)
        self._narrow = pygame.Surface((STATE_W, WINDOW_H - HIDDEN), depth=32)
        self._narrow_dashboard = pygame.Surface((STATE_W, HIDDEN), depth=32)
        self._upright = pygame.Surface((STATE_W, WINDOW_H), depth=32)
        self._small = pygame.Surface((STATE_W, STATE_H), depth=32)
        self._score = ("", self._dashboard)
        self._ground: Ground | None = None
        self._car: CarOutline | None = None

    def render(self, world: "CarRacingWorld") -> Frames:
        """The picture of a world, (96, 96, 3) uint8, a new array."""
        camera = Camera.over(world)
        self._draw_ground(world, camera)
        if self._car is None or self._car.car is not world.car:
            self._car = CarOutline(world.car)
        self._car.draw(self._upside_down, camera)
        if world.scenery is not None:
            self._draw_bars(world.scenery)
        world.surf = self._dashboard
        world._render_indicators(WINDOW_W, WINDOW_H)  # type: ignore[no-untyped-call]
        self._draw_score(f"{world.reward:04.0f}")
        return self._scaled()

    def render_gray(self, world: "CarRacingWorld") -> Frames:
        """The picture as SB3's WarpFrame shows it, (84, 84) uint8."""
        return warp_frame(self.render(world))

    def _draw_ground(self, world: "CarRacingWorld", camera: Camera) -> None:
        if self._ground is None or self._ground.source is not world.road_poly:
            self._ground = Ground(world.road_poly)
        ground, surface = self._ground, self._upside_down
        self._draw_field(world, camera)
        indices, polygons = ground.visible(camera)
        patches = bisect_left(indices, ground.patches)
        for polygon in polygons[:patches]:
            _fill(surface, polygon, world.grass_color)
        if world.scenery is not None and world.scenery.noise is not None:
            self._draw_noise(world, world.scenery.noise, camera)
        for index, polygon in zip(indices[patches:], polygons[patches:], strict=True):
            _fill(surface, polygon, [int(c) for c in ground.source[index - ground.patches][1]])
        if world.scenery is not None and world.scenery.blob:
            corners = camera.pixels(world.scenery.blob_corners(world.car.hull))
            _fill(surface, corners.tolist(), scenery.RED)

    def _draw_noise(self, world: "CarRacingWorld", noise: GroundNoise, camera: Camera) -> None:
        view = np.array([camera.cosine, camera.sine, camera.zoom, *camera.shift])
        pixels = pygame.surfarray.pixels2d(self._upside_down)
        paint_noise(pixels, HIDDEN, view, noise.frame_key(world), noise.share, noise.grain)

    def _draw_bars(self, shown: Scenery) -> None:
        width = round(shown.bars * WINDOW_W)
        for left in (0, WINDOW_W - width):
            self._upside_down.fill((0, 0, 0), (left, HIDDEN, width, WINDOW_H - HIDDEN))

    def _draw_field(self, world: "CarRacingWorld", camera: Camera) -> None:
        """The playfield: all of the picture, unless its rim is near."""
        surface = self._upside_down
        rim = PLAYFIELD - VIEW_RADIUS / camera.zoom
        if max(map(abs, camera.view_centre())) < rim:
            surface.fill([int(c) for c in world.bg_color])
            return
        surface.fill((0, 0, 0))
        corners = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)]) * PLAYFIELD
        field = camera.pixels(corners).tolist()
        _fill(surface, field, world.bg_color)

    def _scaled(self) -> Frames:
        """The picture above the dashboard, the dashboard under it, 96 x 96."""
        seen = self._upside_down.subsurface((0, HIDDEN, WINDOW_W, WINDOW_H - HIDDEN))
        pygame.transform.smoothscale(seen, self._narrow.get_size(), self._narrow)
        strip = self._dashboard.subsurface((0, WINDOW_H - HIDDEN, WINDOW_W, HIDDEN))
        pygame.transform.smoothscale(strip, (STATE_W, HIDDEN), self._narrow_dashboard)
        upright = pygame.surfarray.pixels2d(self._upright)
        upright[:, : WINDOW_H - HIDDEN] = pygame.surfarray.pixels2d(self._narrow)[:, ::-1]
        upright[:, WINDOW_H - HIDDEN :] = pygame.surfarray.pixels2d(self._narrow_dashboard)
        del upright  # unlocks the surface
        pygame.transform.smoothscale(self._upright, (STATE_W, STATE_H), self._small)
        return np.ascontiguousarray(pygame.surfarray.pixels3d(self._small).transpose(1, 0, 2))

    def _draw_score(self, text: str) -> None:
        if text != self._score[0]:
            try:
                image = self._font.render(text, True, (255, 255, 255), (0, 0, 0))
            except pygame.error:  # pygame was shut down, as when another world's window closes
                self._font = _font()
                image = self._font.render(text, True, (255, 255, 255), (0, 0, 0))
            self._score = (text, image)
        area = self._score[1].get_rect()
        area.center = (60, WINDOW_H - WINDOW_H * 2.5 / 40.0)
        self._dashboard.blit(self._score[1], area)


class CarOutline:
    """The polygons of a car: its wheels, each with the light stripe that shows it turn, and hull.

    Attributes:
        car: The car whose they are.
    """

    def __init__(self, car: Any) -> None:  # noqa: ANN401 - gymnasium is untyped
        self.car = car
        vertices: list[Any] = []
        bodies: list[int] = []
        self._polygons: list[tuple[slice, list[int], bool]] = []  # vertices, colour, a stripe?
        for number, body in enumerate(car.drawlist):
            shapes = [fixture.shape.vertices for fixture in body.fixtures]
            colours = [[int(c * 255) for c in body.color]] * len(shapes)
            if body is not car.hull:
                shapes.append([(0, 0)] * 4)
                colours.append(list(WHEEL_WHITE))
            for k, (shape, colour) in enumerate(zip(shapes, colours, strict=True)):
                extent = slice(len(vertices), len(vertices) + len(shape))
                self._polygons.append((extent, colour, k == 1 and body is not car.hull))
                vertices.extend(shape)
                bodies.extend([number] * len(shape))
        self._vertices = np.array(vertices, dtype=np.float32)
        self._bodies = np.array(bodies)

    def draw(self, surface: pygame.Surface, camera: Camera) -> None:
        """Draw the wheels, then the hull."""
        stripes = iter([_stripe(wheel.phase) for wheel in self.car.wheels])
        shown = []
        for extent, colour, is_stripe in self._polygons:
            stripe = next(stripes) if is_stripe else None
            if stripe is not None:
                self._vertices[extent] = stripe
            if stripe is not None or not is_stripe:
                shown.append((extent, colour))
        pixels = camera.pixels(self._placed()).tolist()
        for extent, colour in shown:
            pygame.draw.polygon(surface, colour, pixels[extent])

    def _placed(self) -> FloatArray:
        """The vertices (n, 2) in the world, in Box2D's single precision."""
        frames = []
        for body in self.car.drawlist:
            transform = body.transform
            rotation = transform.q
            frames.append((rotation.c, rotation.s, *transform.position))
        cosine, sine, px, py = np.array(frames, dtype=np.float32)[self._bodies].T
        x, y = self._vertices.T
        placed = np.empty((len(x), 2))
        placed[:, 0] = (cosine * x - sine * y) + px
        placed[:, 1] = (sine * x + cosine * y) + py
        return placed


def _fill(surface: pygame.Surface, polygon: list[Any], colour: Any) -> None:  # noqa: ANN401
    """A polygon with a soft outline, as gymnasium draws grass and road."""
    gfxdraw.aapolygon(surface, polygon, colour)
    gfxdraw.filled_polygon(surface, polygon, colour)


def _stripe(phase: float) -> list[tuple[float, float]] | None:
    """A wheel's light stripe in the wheel's frame, or None while it is underneath."""
    s1, s2 = math.sin(phase), math.sin(phase + 1.2)
    if s1 > 0 and s2 > 0:
        return None
    c1, c2 = math.cos(phase), math.cos(phase + 1.2)
    if s1 > 0:
        c1 = np.sign(c1)
    if s2 > 0:
        c2 = np.sign(c2)
    right, top, bottom = WHEEL_W * SIZE, WHEEL_R * c1 * SIZE, WHEEL_R * c2 * SIZE
    return [(-right, top), (right, top), (right, bottom), (-right, bottom)]


def _font() -> pygame.font.Font:
    pygame.font.init()
    return pygame.font.Font(pygame.font.get_default_font(), 42)


def _grass_patches() -> FloatArray:
    """Corners of the grass patches in gymnasium's order, (400, 4, 2)."""
    corner = np.array([(1, 0), (0, 0), (0, 1), (1, 1)])
    x, y = np.meshgrid(np.arange(-20, 20, 2), np.arange(-20, 20, 2), indexing="ij")
    origins = np.stack([x.ravel(), y.ravel()], axis=1)
    return GRASS_DIM * origins[:, None, :] + GRASS_DIM * corner
