"""CarRacing's picture without its 1000 x 800 surface, about fifty times as fast as gymnasium's."""

from typing import Any

import numpy as np
import pygame
from numpy.typing import NDArray

from drive.carracing import car_sprite, dashboard, scene
from drive.carracing.coverage import FloatArray, FloatImage, compiled
from drive.carracing.dashboard import ScorePatches
from drive.carracing.scene import RoadPolygons
from drive.carracing.warp_frame import warp_frame

Image = NDArray[np.uint8]


class FastRenderer:
    """Approximates ``state_pixels`` of a CarRacing world, and SB3's gray frame of it.

    The arithmetic stands in for gymnasium's drawing on a large surface and pygame's scaling of it;
    the mean difference to its picture stays below 0.15 grey levels, see the tests.
    """

    def __init__(self) -> None:
        self._road: RoadPolygons | None = None
        self._car: Any = None
        self._loss = _scaling_loss()
        self._score = ScorePatches()
        self._picture = np.zeros((96, 96, 3), np.float32)
        self._layer = np.zeros((scene.ROWS, scene.COLUMNS, 4), np.float32)
        self._delta = np.zeros((scene.ROWS, scene.COLUMNS + 1), np.float32)
        self._window = np.zeros((car_sprite.HEIGHT, car_sprite.WIDTH), np.uint8)
        self._camera = np.zeros(5)

    def render(self, world: Any) -> Image:  # noqa: ANN401 - gymnasium is untyped
        """The (96, 96, 3) RGB picture of the world as it stands; a new array."""
        image = np.empty((96, 96, 3), np.uint8)
        self._draw(world, image)
        return image

    def render_gray(self, world: Any) -> Image:  # noqa: ANN401
        """The (84, 84) gray picture that SB3's WarpFrame makes of `render`'s; a new array."""
        gray = np.empty((84, 84), np.uint8)
        warp_frame(self.render(world), gray)
        return gray

    def _draw(self, world: Any, image: Image) -> None:  # noqa: ANN401
        if self._road is None or self._road.source is not world.road_poly:
            self._road = RoadPolygons(world)
        car = world.car
        if self._car is not car:
            self._car = car
            self._read_hull(car)
        road = self._road
        hull = car.hull
        x, y = hull.position
        vx, vy = hull.linearVelocity
        wheels = car.wheels
        w0, w1, w2, w3 = wheels
        state = (
            *w0.position, w0.angle, *w1.position, w1.angle, *w2.position, w2.angle,
            *w3.position, w3.angle, x, y, hull.angle,
            w0.phase, w1.phase, w2.phase, w3.phase, w0.omega, w1.omega, w2.omega, w3.omega,
            w0.joint.angle, hull.angularVelocity, vx, vy, world.t,
        )  # fmt: skip
        _draw_world(
            image, self._picture, self._layer, self._delta, self._window, self._camera,
            np.array(state), road.corners, road.circles, road.signs, road.colours,
            self._hull, self._hull_counts, self._hull_colour,
            np.asarray(world.bg_color, np.float64), np.asarray(world.grass_color, np.float64),
            self._score.patch(world.reward), self._loss,
        )  # fmt: skip

    def _read_hull(self, car: Any) -> None:  # noqa: ANN401
        polygons = [np.array(f.shape.vertices) for f in car.hull.fixtures]
        self._hull = np.zeros((len(polygons), 8, 2))
        self._hull_counts = np.array([len(p) for p in polygons])
        for k, polygon in enumerate(polygons):
            self._hull[k, : len(polygon)] = polygon
        self._hull_colour = np.array([int(c * 255) for c in car.hull.color], np.float64)


def _scaling_loss() -> float:
    """Grey levels that this machine's smoothscale takes from a flat picture (2 with SSE2)."""
    surface = pygame.Surface((1000, 800), depth=32)
    surface.fill((200, 200, 200))
    small = pygame.transform.smoothscale(surface, (96, 96))
    return 200.0 - float(small.get_at((48, 48))[0])


@compiled
def _draw_world(
    image: Image,
    picture: FloatImage,
    layer: FloatImage,
    delta: FloatImage,
    window: Image,
    camera: FloatArray,
    state: FloatArray,
    corners: FloatArray,
    circles: FloatArray,
    signs: FloatArray,
    colours: FloatArray,
    hull: FloatArray,
    hull_counts: NDArray[np.int64],
    hull_colour: FloatArray,
    background: FloatArray,
    grass: FloatArray,
    score: Image,
    loss: float,
) -> None:
    bodies = state[:15].reshape(5, 3)
    scene.set_camera(camera, state[14], state[12], state[13], state[27])
    zoom = camera[2]
    view = np.empty(3)
    view[0] = state[12] + scene.VIEW_AHEAD / zoom * camera[1]
    view[1] = state[13] + scene.VIEW_AHEAD / zoom * camera[0]
    view[2] = scene.VIEW_RADIUS / zoom
    scene.draw_ground(picture, delta, camera, view, background, grass)
    scene.draw_road(layer, delta, camera, view, corners, circles, signs, colours)
    scene.lay_road(picture, layer)
    car_sprite.draw_car(window, camera, bodies, state[15:19], hull, hull_counts)
    car_sprite.blend_car(picture, window, hull_colour)
    speed = np.sqrt(state[25] ** 2 + state[26] ** 2)
    dashboard.draw_dashboard(picture, speed, state[19:23], state[23], state[24])
    for row in range(96):
        for column in range(96):
            for c in range(3):
                image[row, column, c] = int(max(picture[row, column, c] - 0.5 * loss - 0.002, 0.0))
    image[84:, :12] = score
