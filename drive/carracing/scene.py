"""Playfield, grass and road of CarRacing under its camera, in exact area coverage."""

import math
from typing import Any

import numpy as np
from gymnasium.envs.box2d.car_racing import GRASS_DIM, PLAYFIELD, WINDOW_H, WINDOW_W
from numpy.typing import NDArray

from drive.carracing.coverage import FloatArray, FloatImage, add_edge, compiled, grow

ROWS, COLUMNS = 84, 96  # the dashboard hides the rest of the rows
X_SCALE, Y_SCALE = 96.0 / WINDOW_W, 96.0 / WINDOW_H
VIEW_RADIUS = math.hypot(WINDOW_W / 2, 350.0)  # of the part above the dashboard, surface pixels
VIEW_AHEAD = 250.0  # its centre lies this far ahead of the car, surface pixels


class RoadPolygons:
    """The road of one lap as arrays: tiles and kerbs in drawing order.

    The tiles' colour arrays are replaced by views of one table, so that a tile which gymnasium's
    contact listener recolours when it is visited shows up here without a look at every tile.

    Attributes:
        corners: (n, 4, 2) world units.
        circles: (n, 3) centre and radius, for culling.
        signs: (n, 4) whether the edge after each corner grows (1) or a later neighbour's does (-1).
        colours: (n, 3) RGB.
    """

    def __init__(self, world: Any) -> None:  # noqa: ANN401 - gymnasium is untyped
        self.source = world.road_poly
        n = len(self.source)
        self.corners = np.array([p for p, _ in self.source], dtype=np.float64).reshape(n, 4, 2)
        self.colours = np.array([list(c) for _, c in self.source], dtype=np.float64).reshape(n, 3)
        centres = self.corners.mean(axis=1)
        radii = np.linalg.norm(self.corners - centres[:, None], axis=2).max(axis=1)
        self.circles = np.column_stack([centres, radii])
        self.signs = _growth_signs(self.corners)
        self._share_colours(world)

    def _share_colours(self, world: Any) -> None:  # noqa: ANN401
        tiles = {id(tile.color): tile for tile in world.road}
        for k, (corners, colour) in enumerate(self.source):
            tile = tiles.get(id(colour))
            if tile is not None:
                tile.color = self.colours[k]
                self.source[k] = (corners, self.colours[k])


def _growth_signs(corners: FloatArray) -> FloatArray:
    """1 for every edge, but -1 where a polygon drawn later shares the edge and covers it."""
    signs = np.ones(corners.shape[:2])
    seen: dict[frozenset[tuple[float, float]], tuple[int, int]] = {}
    for p, polygon in enumerate(corners.tolist()):
        for k in range(4):
            edge = frozenset((tuple(polygon[k]), tuple(polygon[(k + 1) % 4])))
            if edge in seen:
                signs[seen[edge]] = -1.0
            seen[edge] = (p, k)
    return signs


@compiled
def set_camera(camera: FloatArray, angle: float, x: float, y: float, t: float) -> None:
    """Gymnasium's view: cos, sin, zoom, translation x and y, for the hull's pose and the time."""
    zoom = 0.1 * 6.0 * max(1.0 - t, 0.0) + 2.7 * 6.0 * min(t, 1.0)
    c, s = math.cos(-angle), math.sin(-angle)
    sx, sy = -x * zoom, -y * zoom
    camera[0], camera[1], camera[2] = c, s, zoom
    camera[3] = 500.0 + (c * sx - s * sy)
    camera[4] = 200.0 + (s * sx + c * sy)


@compiled
def _to_surface(corners: FloatArray, camera: FloatArray, surface: FloatArray) -> None:
    """World corners to whole surface pixels; gfxdraw truncates towards zero."""
    c, s, zoom, tx, ty = camera[0], camera[1], camera[2], camera[3], camera[4]
    for k in range(len(corners)):
        x, y = corners[k, 0], corners[k, 1]
        surface[k, 0] = int((c * x - s * y) * zoom + tx)
        surface[k, 1] = int((s * x + c * y) * zoom + ty)


@compiled
def _add_outline(delta: FloatImage, grown: FloatArray) -> None:
    """Add a polygon's edges; surface pixels have their centres at whole numbers, and y upwards."""
    n = len(grown)
    for k in range(n):
        m = k + 1 if k + 1 < n else 0
        add_edge(
            delta,
            (grown[k, 0] + 0.5) * X_SCALE,
            (799.5 - grown[k, 1]) * Y_SCALE,
            (grown[m, 0] + 0.5) * X_SCALE,
            (799.5 - grown[m, 1]) * Y_SCALE,
        )


@compiled
def _rectangle(x0: float, y0: float, x1: float, y1: float, corners: FloatArray) -> None:
    corners[0, 0], corners[0, 1] = x1, y0
    corners[1, 0], corners[1, 1] = x0, y0
    corners[2, 0], corners[2, 1] = x0, y1
    corners[3, 0], corners[3, 1] = x1, y1


@compiled
def draw_ground(
    picture: FloatImage,
    delta: FloatImage,
    camera: FloatArray,
    view: FloatArray,
    background: FloatArray,
    grass: FloatArray,
) -> None:
    """Playfield and grass patches into the picture (ROWS, COLUMNS, 3); black beyond the playfield.

    Args:
        picture: Overwritten.
        delta: (ROWS, COLUMNS + 1) zeros, left as zeros.
        camera: From `set_camera`.
        view: Centre and radius of what is seen, world units.
        background: RGB of the playfield.
        grass: RGB of the patches.
    """
    corners, surface, grown = np.empty((4, 2)), np.empty((4, 2)), np.empty((4, 2))
    signs = np.ones(4)
    inside = max(abs(view[0]), abs(view[1])) + view[2] < PLAYFIELD
    if inside:
        picture[:] = background.astype(np.float32)
    else:
        _rectangle(-PLAYFIELD, -PLAYFIELD, PLAYFIELD, PLAYFIELD, corners)
        _to_surface(corners, camera, surface)
        grow(surface, signs, grown)
        _add_outline(delta, grown)
        _settle(picture, delta, np.zeros(3), background)
    first_x = max(int(math.floor((view[0] - view[2]) / GRASS_DIM)) - 1, -20)
    last_x = min(int(math.ceil((view[0] + view[2]) / GRASS_DIM)), 18)
    first_y = max(int(math.floor((view[1] - view[2]) / GRASS_DIM)) - 1, -20)
    last_y = min(int(math.ceil((view[1] + view[2]) / GRASS_DIM)), 18)
    for i in range(first_x + (first_x & 1), last_x + 1, 2):
        for j in range(first_y + (first_y & 1), last_y + 1, 2):
            x, y = GRASS_DIM * i, GRASS_DIM * j
            _rectangle(x, y, x + GRASS_DIM, y + GRASS_DIM, corners)
            _to_surface(corners, camera, surface)
            if _visible(surface) and grow(surface, signs, grown):
                _add_outline(delta, grown)
    _settle(picture, delta, background, grass)


@compiled
def _visible(surface: FloatArray) -> bool:
    x, y = surface[:, 0], surface[:, 1]
    return x.max() >= -1.0 and x.min() <= 1001.0 and y.max() >= 99.0 and y.min() <= 801.0


@compiled
def _settle(picture: FloatImage, delta: FloatImage, below: FloatArray, above: FloatArray) -> None:
    """Prefix-sum the differences and paint ``above`` over ``below`` where they cover."""
    difference = (above - below).astype(np.float32)
    base = below.astype(np.float32)
    for row in range(ROWS):
        total = np.float32(0.0)
        for column in range(COLUMNS):
            total += delta[row, column]
            delta[row, column] = 0.0
            cover = min(abs(total), np.float32(1.0))
            for c in range(3):
                if base[c] == 0.0:
                    picture[row, column, c] = cover * above[c]
                else:
                    picture[row, column, c] += cover * difference[c]
        delta[row, COLUMNS] = 0.0


@compiled
def draw_road(
    road: FloatImage,
    delta: FloatImage,
    camera: FloatArray,
    view: FloatArray,
    corners: FloatArray,
    circles: FloatArray,
    signs: FloatArray,
    colours: FloatArray,
) -> None:
    """Tiles and kerbs into the layer ``road`` (ROWS, COLUMNS, 4): colour times cover, and cover.

    Where polygons meet in a cell, a later one takes the uncovered part of the cell first and then
    displaces the earlier ones: seams stay closed and a road that crosses itself stays in order.
    """
    surface, grown = np.empty((4, 2)), np.empty((4, 2))
    colour = np.empty(3, np.float32)
    for p in range(len(corners)):
        dx, dy = circles[p, 0] - view[0], circles[p, 1] - view[1]
        reach = view[2] + circles[p, 2]
        if dx * dx + dy * dy > reach * reach:
            continue
        _to_surface(corners[p], camera, surface)
        if not _visible(surface) or not grow(surface, signs[p], grown):
            continue
        _add_outline(delta, grown)
        for c in range(3):
            colour[c] = int(colours[p, c])
        _compose(road, delta, grown, colour)


@compiled
def _compose(road: FloatImage, delta: FloatImage, grown: FloatArray, colour: FloatImage) -> None:
    first = max(int((799.5 - grown[:, 1].max()) * Y_SCALE), 0)
    last = min(int((799.5 - grown[:, 1].min()) * Y_SCALE) + 1, ROWS)
    left = max(int((grown[:, 0].min() + 0.5) * X_SCALE), 0)
    right = min(int((grown[:, 0].max() + 0.5) * X_SCALE) + 1, COLUMNS)
    one = np.float32(1.0)
    for row in range(first, last):
        total = np.float32(0.0)
        for column in range(left, right):
            total += delta[row, column]
            delta[row, column] = 0.0
            cover = min(abs(total), one)
            if cover < 1e-4:
                continue
            before = road[row, column, 3]
            kept = one
            if before + cover > one:
                kept = (one - cover) / before
            for c in range(3):
                road[row, column, c] = road[row, column, c] * kept + cover * colour[c]
            road[row, column, 3] = before * kept + cover
        delta[row, right] = 0.0


@compiled
def lay_road(picture: FloatImage, road: FloatImage) -> None:
    """Put the road layer over the ground and clear it for the next picture."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            cover = road[row, column, 3]
            if cover > 0.0:
                for c in range(3):
                    picture[row, column, c] = (
                        picture[row, column, c] * (np.float32(1.0) - cover) + road[row, column, c]
                    )
                    road[row, column, c] = 0.0
                road[row, column, 3] = 0.0


Polygons = NDArray[np.float64]
