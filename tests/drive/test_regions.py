"""The regions of a picture against the pictures that the renderers draw of the same world."""

from collections.abc import Callable

import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import PLAYFIELD, TRACK_WIDTH
from numpy.typing import NDArray

from drive.carracing.colours import ColourScheme
from drive.carracing.observations import warp_frame
from drive.carracing.regions import BAND, Region, regions
from drive.carracing.world import CarRacingWorld

Driver = Callable[..., NDArray[np.float64]]
PLAIN = ColourScheme(road=(0, 0, 200), background=(0, 200, 0), grass=(0, 200, 0))


def driven(pursue: Driver, steps: int, track: str | None = None) -> CarRacingWorld:
    world = CarRacingWorld(renderer="exact", map=track, colours=PLAIN)
    world.reset(seed=42)
    for _ in range(steps):
        world.step(pursue(world, 2.0))
    return world


def picture(world: CarRacingWorld) -> NDArray[np.int64]:
    assert world._renderer is not None
    return world._renderer.render(world).astype(np.int64)


def test_every_pixel_has_the_colour_of_its_region(pursue: Driver) -> None:
    """Unvisited tiles are up to 5 lighter, and pygame's scaling takes 2 levels of a flat colour.

    A tenth of a pixel may be the car's or a kerb's.
    """
    counted = np.zeros(len(Region), dtype=int)
    for steps, track in ((60, None), (150, None), (90, "oval")):
        world = driven(pursue, steps, track)
        found, colours = regions(world, 96), picture(world)
        for region, colour in ((Region.ROAD, PLAIN.road), (Region.GRASS, PLAIN.grass)):
            off = abs(colours[found == region] - colour).max(axis=1)
            assert off.max() <= 40
            assert (off > 6).mean() < 0.005
        counted += np.bincount(found.ravel(), minlength=len(Region))
    assert counted[Region.DASHBOARD] == 3 * 12 * 96
    assert (counted[[Region.GRASS, Region.ROAD, Region.EDGE, Region.CAR]] > 100).all()


def test_the_edge_holds_every_pixel_that_mixes_road_and_grass(pursue: Driver) -> None:
    world = driven(pursue, 150)
    found, colours = regions(world, 96), picture(world)
    mixed = (colours[..., 1] > 20) & (colours[..., 2] > 20) & (colours[..., 0] < 6)
    mixed &= found != Region.CAR
    mixed[84:] = False
    # Half a pixel that the car covers mixes, too; it is few.
    assert (found[mixed] == Region.EDGE).mean() > 0.98
    assert mixed.sum() > 60


def test_the_edge_is_as_wide_as_told(pursue: Driver) -> None:
    """Counted along a road seen from above: pixels by the area of one on the ground."""
    world = driven(pursue, 60)
    share = (regions(world, 96) == Region.EDGE).sum() / (regions(world, 96) == Region.ROAD).sum()
    expected = 4 * BAND / (2 * (TRACK_WIDTH - BAND))
    assert share == pytest.approx(expected, rel=0.25)


def test_the_car_covers_what_it_darkens_or_reddens(pursue: Driver) -> None:
    world = driven(pursue, 60)
    colours = picture(world)
    red, blue = colours[..., 0], colours[..., 2]
    painted = (abs(blue - 200) > 20) & (colours[..., 1] < 8)
    painted[84:] = False
    car = regions(world, 96) == Region.CAR
    assert red[car].max() > 100  # the hull
    overlap = (painted & car).sum() / (painted | car).sum()
    assert overlap > 0.85
    assert 20 < car.sum() < 60


def test_the_gray_picture_has_the_same_regions(pursue: Driver) -> None:
    world = driven(pursue, 150)
    found, gray = regions(world, 84), warp_frame(picture(world).astype(np.uint8)).astype(int)
    gray[73] *= 2  # half of this row is the black dashboard's
    of_road, of_grass = 0.114 * 200, 0.587 * 200
    assert abs(gray[found == Region.ROAD] - of_road).max() < 12
    assert abs(gray[found == Region.GRASS] - of_grass).max() < 12
    found = regions(world, 84)
    assert (found[74:] == Region.DASHBOARD).all()
    assert not (found[:74] == Region.DASHBOARD).any()


def test_beyond_the_rim_is_black() -> None:
    world = CarRacingWorld(renderer="exact", colours=PLAIN)
    world.reset(seed=0)
    world.t = 2.0
    for body in (world.car.hull, *world.car.wheels):
        body.position, body.angle = (PLAYFIELD - 5, 100.0), 0.7
    found, colours = regions(world, 96), picture(world).max(axis=2)
    beyond = found == Region.BEYOND
    assert beyond.sum() > 500
    assert colours[beyond].mean() < 5
    assert colours[found == Region.GRASS].min() > 100


def test_from_far_away_the_thin_road_is_edge() -> None:
    world = CarRacingWorld(renderer="exact", colours=PLAIN)
    world.reset(seed=42)
    found, blue = regions(world, 96), picture(world)[..., 2]
    shown = (blue > 60) & (found != Region.CAR)
    shown[84:] = False
    assert np.isin(found[shown], (Region.EDGE, Region.ROAD)).all()
