"""CarRacing's picture, close to gymnasium's, without the 1000 x 800 surface it is scaled from."""

from typing import Any

import numpy as np
import pygame
from numpy.typing import NDArray

from drive.carracing import car_sprite, dashboard, scene
from drive.carracing.coverage import FloatArray, FloatImage, compiled
from drive.carracing.dashboard import score_patch
from drive.carracing.ground_noise import lay_noise
from drive.carracing.scene import RoadPolygons, World
from drive.carracing.scenery import RED, Scenery
from drive.carracing.warp_frame import warp_frame

Image = NDArray[np.uint8]
Box2DCar = Any  # gymnasium's Car; its attributes are set on Box2D's untyped bodies
Layers = tuple[FloatImage, FloatImage, FloatImage, FloatImage, FloatImage]
Polygons = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
Noise = tuple[np.uint64, float, float]

NO_POLYGONS: Polygons = (
    np.empty((0, 4, 2)),
    np.empty((0, 3)),
    np.empty((0, 4)),
    np.empty((0, 3)),
)
NO_NOISE: Noise = (np.uint64(0), 0.0, 1.0)


class FastRenderer:
    """Approximates ``state_pixels`` of a CarRacing world, and SB3's gray frame of it.

    The arithmetic stands in for gymnasium's drawing on a large surface and pygame's scaling of it;
    the mean difference to its picture stays below 0.15 grey levels.
    """

    def __init__(self) -> None:
        self._road: RoadPolygons | None = None
        self._car: Box2DCar | None = None
        self._loss = _scaling_loss()
        self._planes = np.zeros((3, 96, 96), np.uint8)
        rows, columns = scene.ROWS, scene.COLUMNS
        self._layers: Layers = (
            np.zeros((4, rows, columns), np.float32),
            np.zeros((rows + 1, columns), np.float32),
            np.zeros((rows + 1, columns), np.float32),
            np.zeros((rows + 1, columns), np.float32),
            np.zeros((3, dashboard.ROWS, columns), np.float32),
        )
        self._window = np.zeros((car_sprite.HEIGHT, car_sprite.WIDTH), np.int32)

    def render(self, world: World) -> Image:
        """The (96, 96, 3) RGB picture of the world as it stands; a new array."""
        self._draw(world)
        image = np.empty((96, 96, 3), np.uint8)
        _interleave(self._planes, image)
        return image

    def render_gray(self, world: World) -> Image:
        """The (84, 84) gray picture that SB3's WarpFrame makes of `render`'s; a new array."""
        self._draw(world)
        gray = np.empty((84, 84), np.uint8)
        warp_frame(self._planes, gray)
        return gray

    def _draw(self, world: World) -> None:
        car = world.car
        if self._road is None or self._road.source is not world.road_poly:
            self._road = RoadPolygons(world)
        if self._car is not car:
            self._car = car
            self._shape = _read_shape(car)
        road = self._road
        scenery: Scenery | None = getattr(world, "scenery", None)  # gymnasium's world has none
        _draw_world(
            self._planes,
            self._layers,
            self._window,
            _read_state(world, car),
            (road.corners, road.circles, road.signs, road.colours),
            self._shape,
            (np.asarray(world.bg_color, np.float64), np.asarray(world.grass_color, np.float64)),
            score_patch(f"{world.reward:04.0f}"),
            self._loss,
            _blob(scenery, car),
            _noise(scenery, world),
        )
        if scenery is not None:
            _darken(self._planes, 96 * scenery.bars)


def _read_state(world: World, car: Box2DCar) -> FloatArray:
    """Poses (15), phases (4) and speeds (4) of the wheels and hull, and what else is shown."""
    hull = car.hull
    w0, w1, w2, w3 = car.wheels
    return np.array((
        *w0.position, w0.angle, *w1.position, w1.angle, *w2.position, w2.angle,
        *w3.position, w3.angle, *hull.position, hull.angle,
        w0.phase, w1.phase, w2.phase, w3.phase, w0.omega, w1.omega, w2.omega, w3.omega,
        w0.joint.angle, hull.angularVelocity, *hull.linearVelocity, world.t,
    ))  # fmt: skip


def _read_shape(car: Box2DCar) -> tuple[FloatArray, NDArray[np.int64], FloatArray]:
    """Corners (5, 8, 2) of a wheel and the hull's polygons, their numbers, and the hull's RGB."""
    fixtures = [car.wheels[0].fixtures[0], *car.hull.fixtures]
    outlines = [np.array(fixture.shape.vertices) for fixture in fixtures]
    polygons = np.zeros((len(outlines), 8, 2))
    for k, outline in enumerate(outlines):
        polygons[k, : len(outline)] = outline
    colour = np.array([int(c * 255) for c in car.hull.color], np.float64)
    return polygons, np.array([len(outline) for outline in outlines]), colour


def _blob(scenery: Scenery | None, car: Box2DCar) -> Polygons:
    """The red square as one more piece of road: corners, circle, signs and colour."""
    if scenery is None or not scenery.blob:
        return NO_POLYGONS
    corners = scenery.blob_corners(car.hull)[None]
    circle = np.array([[*corners[0].mean(axis=0), scenery.blob]])
    return corners, circle, np.ones((1, 4)), np.array([RED], np.float64)


def _noise(scenery: Scenery | None, world: World) -> Noise:
    if scenery is None or scenery.noise is None:
        return NO_NOISE
    noise = scenery.noise
    return noise.frame_key(world), float(noise.share), float(noise.grain)


def _darken(planes: Image, width: float) -> None:
    """Black bars of a width in cells at both sides, above the dashboard."""
    shown = 1.0 - np.clip(width - np.arange(96), 0.0, 1.0)
    world = planes[:, : dashboard.FIRST_ROW]
    world[:] = world * np.minimum(shown, shown[::-1])


def _scaling_loss() -> float:
    """Grey levels that this machine's smoothscale takes from a flat picture (2 with SSE2)."""
    surface = pygame.Surface((1000, 800), depth=32)
    surface.fill((200, 200, 200))
    small = pygame.transform.smoothscale(surface, (96, 96))
    return 200.0 - float(small.get_at((48, 48))[0])


@compiled
def _draw_world(  # noqa: PLR0913, PLR0917 - a compiled kernel's arguments are its only input
    planes: Image,
    layers: Layers,
    window: car_sprite.Window,
    state: FloatArray,
    road: Polygons,
    car: tuple[FloatArray, NDArray[np.int64], FloatArray],
    ground: tuple[FloatArray, FloatArray],
    score: Image,
    loss: float,
    blob: Polygons,
    noise: Noise,
) -> None:
    """Draw the whole picture into ``planes`` (3, 96, 96)."""
    layer, delta, field, grass, strip = layers
    camera, view = np.empty(5), np.empty(3)
    scene.set_camera(camera, state[14], state[12], state[13], state[27])
    zoom = camera[2]
    view[0] = state[12] + scene.VIEW_AHEAD / zoom * camera[1]
    view[1] = state[13] + scene.VIEW_AHEAD / zoom * camera[0]
    view[2] = scene.VIEW_RADIUS / zoom
    scene.draw_playfield(field, camera, view)
    scene.draw_grass(grass, camera, view)
    scene.draw_road(layer, delta, camera, view, road[0], road[1], road[2], road[3])
    scene.draw_road(layer, delta, camera, view, blob[0], blob[1], blob[2], blob[3])
    car_sprite.draw_car(window, camera, state[:15].reshape(5, 3), state[15:19], car[0], car[1])
    car_sprite.blend_car(layer, window, car[2])
    if noise[1] > 0.0:
        lay_noise(layer, camera, noise[0], noise[1], noise[2])
    # half of what a flat picture loses goes before the rounding, the other half with it
    lost = 0.5 * loss + 0.002
    scene.lay_over_ground(planes, layer, field, grass, ground[0], ground[1], lost)
    speed = np.sqrt(state[25] ** 2 + state[26] ** 2)
    dashboard.draw_dashboard(strip, speed, state[19:23], state[23], state[24])
    for c in range(3):
        for row in range(dashboard.ROWS):
            for column in range(96):
                value = max(strip[c, row, column] - np.float32(lost), np.float32(0.0))
                planes[c, dashboard.FIRST_ROW + row, column] = np.uint8(np.int32(value))
    planes[:, dashboard.FIRST_ROW :, : dashboard.SCORE_SIZE] = score


@compiled
def _interleave(planes: Image, image: Image) -> None:
    for row in range(96):
        for column in range(96):
            image[row, column, 0] = planes[0, row, column]
            image[row, column, 1] = planes[1, row, column]
            image[row, column, 2] = planes[2, row, column]
