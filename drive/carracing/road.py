"""Roads of maps that gymnasium does not know, laid in gymnasium's tiles."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.envs.box2d.car_racing import (
    BORDER,
    BORDER_MIN_COUNT,
    TRACK_DETAIL_STEP,
    TRACK_TURN_RATE,
)
from numpy.typing import NDArray

from drive.track import Track, wrap_angle

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld
    from maps.track_map import TrackMap

Station = tuple[float, float, float, float]
Point = tuple[float, float]


def stations(track_map: "TrackMap") -> list[Station]:
    """A map's centre line in gymnasium's form, one row a tile, as evenly spaced as gymnasium's.

    Returns:
        ``(alpha, beta, x, y)`` each: polar angle of the point, heading of travel minus a right
        angle (continuous along the lap), and the point.
    """
    line = Track(track_map.centre_line, track_map.half_width)
    n = max(3, round(line.length / TRACK_DETAIL_STEP))
    points = line.point_at(np.arange(n) * line.length / n)
    beta = np.unwrap(Track(points, track_map.half_width).headings - math.pi / 2)
    alpha = np.arctan2(points[:, 1], points[:, 0])
    return list(zip(alpha.tolist(), beta.tolist(), *points.T.tolist(), strict=True))


def lay_tiles(world: "CarRacingWorld", track: Sequence[Station], half_width: float) -> None:
    """Create the Box2D tiles, pictures and kerbs of a road in a world, as gymnasium does.

    Args:
        world: Its ``road`` and ``road_poly`` are filled.
        track: What `stations` returns.
        half_width: Of the road, world units.
    """
    turns = np.diff([row[1] for row in track], prepend=track[-1][1])
    turns[0] = wrap_angle(turns[0])
    kerbs = _kerbs(turns)
    tiles: list[Any] = []
    for i, here in enumerate(track):
        before = track[i - 1]
        corners = _strip(here, before, -half_width, half_width)
        tile = _tile(world, i, corners)
        world.road_poly.append((corners, tile.color))
        tiles.append(tile)
        if kerbs[i]:
            side = -np.sign(turns[i])
            kerb = _strip(here, before, side * half_width, side * (half_width + BORDER))
            world.road_poly.append((kerb, (255, 255, 255) if i % 2 == 0 else (255, 0, 0)))
    world.road = tiles


def _kerbs(turns: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which tiles have a red and white kerb: those of hard bends, four tiles to one side."""
    recent = np.stack([np.roll(turns, back) for back in range(BORDER_MIN_COUNT)])
    hard = (np.abs(recent) > TRACK_TURN_RATE * 0.2).all(axis=0)
    hard &= np.abs(np.sign(recent).sum(axis=0)) == BORDER_MIN_COUNT
    return np.asarray(np.any([np.roll(hard, -back) for back in range(BORDER_MIN_COUNT)], axis=0))


def _strip(here: Station, before: Station, left: float, right: float) -> list[Point]:
    """Quadrilateral between two stations, from ``left`` to ``right`` of the centre line."""

    def beside(station: Station, offset: float) -> Point:
        _, beta, x, y = station
        return x + offset * math.cos(beta), y + offset * math.sin(beta)

    return [beside(here, left), beside(here, right), beside(before, right), beside(before, left)]


def _tile(world: "CarRacingWorld", index: int, corners: list[Point]) -> Any:  # noqa: ANN401 - Box2D is untyped
    """A sensor in Box2D that knows whether it was visited."""
    world.fd_tile.shape.vertices = corners
    tile = world.world.CreateStaticBody(fixtures=world.fd_tile)
    tile.userData = tile
    tile.color = world.road_color + 0.01 * (index % 3) * 255
    tile.road_visited = False
    tile.road_friction = 1.0
    tile.idx = index
    tile.fixtures[0].sensor = True
    return tile
