"""Playfield, grass and road of CarRacing under its camera, in exact area coverage."""

import math
from typing import Any

import numpy as np
from gymnasium.envs.box2d.car_racing import (
    GRASS_DIM,
    PLAYFIELD,
    WINDOW_H,
    WINDOW_W,
)
from numpy.typing import NDArray

from drive.carracing.coverage import FloatArray, FloatImage, add_edge, compiled, grow

World = Any  # gymnasium's CarRacing; mypy knows neither its tiles nor ours
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

    def __init__(self, world: World) -> None:
        self.source = world.road_poly
        n = len(self.source)
        self.corners = np.array([p for p, _ in self.source], dtype=np.float64).reshape(n, 4, 2)
        self.colours = np.array([list(c) for _, c in self.source], dtype=np.float64).reshape(n, 3)
        centres = self.corners.mean(axis=1)
        radii = np.linalg.norm(self.corners - centres[:, None], axis=2).max(axis=1)
        self.circles = np.column_stack([centres, radii])
        self.signs = _growth_signs(self.corners)
        self._share_colours(world)

    def _share_colours(self, world: World) -> None:
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
    """Add a polygon's edges; surface pixels have their centres at whole numbers, and y upwards.

    The differences run down the columns, so that the sums over them go row by row, many at a time.
    """
    transposed = delta.T
    n = len(grown)
    for k in range(n):
        m = k + 1 if k + 1 < n else 0
        add_edge(
            transposed,
            (799.5 - grown[k, 1]) * Y_SCALE,
            (grown[k, 0] + 0.5) * X_SCALE,
            (799.5 - grown[m, 1]) * Y_SCALE,
            (grown[m, 0] + 0.5) * X_SCALE,
        )


@compiled
def _rectangle(x0: float, y0: float, x1: float, y1: float, corners: FloatArray) -> None:
    corners[0, 0], corners[0, 1] = x1, y0
    corners[1, 0], corners[1, 1] = x0, y0
    corners[2, 0], corners[2, 1] = x0, y1
    corners[3, 0], corners[3, 1] = x1, y1


@compiled
def draw_playfield(field: FloatImage, camera: FloatArray, view: FloatArray) -> None:
    """Differences of the playfield's cover; it is black beyond.

    Args:
        field: (ROWS + 1, COLUMNS) zeros.
        camera: From `set_camera`.
        view: Centre and radius of what is seen, world units.
    """
    if max(abs(view[0]), abs(view[1])) + view[2] < PLAYFIELD:
        field[0] = 1.0
        return
    corners, surface, grown = np.empty((4, 2)), np.empty((4, 2)), np.empty((4, 2))
    _rectangle(-PLAYFIELD, -PLAYFIELD, PLAYFIELD, PLAYFIELD, corners)
    _to_surface(corners, camera, surface)
    grow(surface, np.ones(4), grown)
    _add_outline(field, grown)


@compiled
def draw_grass(grass: FloatImage, camera: FloatArray, view: FloatArray) -> None:
    """Differences of the cover of all grass patches, (ROWS + 1, COLUMNS); they never overlap."""
    corners, surface, grown = np.empty((4, 2)), np.empty((4, 2)), np.empty((4, 2))
    signs = np.ones(4)
    first_x = max(math.floor((view[0] - view[2]) / GRASS_DIM) - 1, -20)
    last_x = min(math.ceil((view[0] + view[2]) / GRASS_DIM), 18)
    first_y = max(math.floor((view[1] - view[2]) / GRASS_DIM) - 1, -20)
    last_y = min(math.ceil((view[1] + view[2]) / GRASS_DIM), 18)
    for i in range(first_x + (first_x & 1), last_x + 1, 2):
        for j in range(first_y + (first_y & 1), last_y + 1, 2):
            x, y = GRASS_DIM * i, GRASS_DIM * j
            _rectangle(x, y, x + GRASS_DIM, y + GRASS_DIM, corners)
            _to_surface(corners, camera, surface)
            if _visible(surface) and grow(surface, signs, grown):
                _add_outline(grass, grown)


@compiled
def _visible(surface: FloatArray) -> bool:
    left = right = surface[0, 0]
    low = high = surface[0, 1]
    for k in range(1, 4):
        left, right = min(left, surface[k, 0]), max(right, surface[k, 0])
        low, high = min(low, surface[k, 1]), max(high, surface[k, 1])
    return bool(right >= -1.0 and left <= 1001.0 and high >= 99.0 and low <= 801.0)


@compiled
def draw_road(
    layer: FloatImage,
    delta: FloatImage,
    camera: FloatArray,
    view: FloatArray,
    corners: FloatArray,
    circles: FloatArray,
    signs: FloatArray,
    colours: FloatArray,
) -> None:
    """Tiles and kerbs into ``layer`` (4, ROWS, COLUMNS): colour times cover (3), and cover.

    Where polygons meet in a cell, a later one takes the uncovered part of the cell first and then
    displaces the earlier ones: seams stay closed and a road that crosses itself stays in order.
    ``delta`` (ROWS + 1, COLUMNS) holds zeros, before and after.
    """
    surface, grown = np.empty((4, 2)), np.empty((4, 2))
    colour = np.empty(3, np.float32)
    sums = np.zeros(COLUMNS, np.float32)
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
        _compose(layer, delta, sums, grown, colour)


@compiled
def _compose(
    layer: FloatImage, delta: FloatImage, sums: FloatImage, grown: FloatArray, colour: FloatImage
) -> None:
    """Sum the differences of one polygon, clear them and lay its colour over the layer."""
    left_pixel = right_pixel = grown[0, 0]
    low = high = grown[0, 1]
    for k in range(1, 4):
        left_pixel, right_pixel = min(left_pixel, grown[k, 0]), max(right_pixel, grown[k, 0])
        low, high = min(low, grown[k, 1]), max(high, grown[k, 1])
    first = max(int((799.5 - high) * Y_SCALE), 0)
    last = min(int((799.5 - low) * Y_SCALE) + 1, ROWS)
    left = max(int((left_pixel + 0.5) * X_SCALE), 0)
    right = min(int((right_pixel + 0.5) * X_SCALE) + 1, COLUMNS)
    one, tiny = np.float32(1.0), np.float32(1e-6)
    red, green, blue = colour[0], colour[1], colour[2]
    sums[left:right] = 0.0
    for row in range(first, last):
        for column in range(left, right):
            total = sums[column] + delta[row, column]
            sums[column] = total
            delta[row, column] = 0.0
            cover = min(abs(total), one)
            before = layer[3, row, column]
            kept = min((one - cover) / max(before, tiny), one)
            layer[0, row, column] = layer[0, row, column] * kept + cover * red
            layer[1, row, column] = layer[1, row, column] * kept + cover * green
            layer[2, row, column] = layer[2, row, column] * kept + cover * blue
            layer[3, row, column] = before * kept + cover
    for column in range(left, right):
        delta[last, column] = 0.0


@compiled
def lay_over_ground(
    planes: NDArray[np.uint8],
    layer: FloatImage,
    field: FloatImage,
    grass: FloatImage,
    background: FloatArray,
    patch: FloatArray,
    loss: float,
) -> None:
    """Sum up the ground, put the layer over it and round down to bytes; clears its inputs.

    Args:
        planes: (3, 96, 96) red, green and blue; the rows above the dashboard are overwritten.
        layer: (4, ROWS, COLUMNS) road and car.
        field: (ROWS + 1, COLUMNS) differences of the playfield's cover.
        grass: The same of the grass patches.
        background: RGB of the playfield; pygame truncates colours.
        patch: RGB of the grass patches.
        loss: Grey levels to subtract before rounding.
    """
    one, none, lost = np.float32(1.0), np.float32(0.0), np.float32(loss)
    inside, mown = np.zeros(COLUMNS, np.float32), np.zeros(COLUMNS, np.float32)
    base = np.trunc(background).astype(np.float32)
    rise = np.trunc(patch).astype(np.float32) - base
    for row in range(ROWS):
        for column in range(COLUMNS):
            inside[column] += field[row, column]
            mown[column] += grass[row, column]
        for c in range(3):
            low, high = base[c], rise[c]
            for column in range(COLUMNS):
                ground = min(abs(inside[column]), one) * low + min(abs(mown[column]), one) * high
                bare = one - layer[3, row, column]
                value = ground * bare + layer[c, row, column] - lost
                planes[c, row, column] = np.uint8(np.int32(max(value, none)))
    layer[:] = 0.0
    field[:] = 0.0
    grass[:] = 0.0
