"""Area coverage against closed forms, and the car's polygons against pygame's."""

import cv2
import numpy as np
import pygame
import pytest
from gymnasium.envs.box2d.car_dynamics import HULL_POLY3
from numpy.typing import NDArray

from drive.carracing import car_sprite
from drive.carracing.coverage import add_edge, grow

FloatArray = NDArray[np.float64]


def cover(corners: FloatArray, rows: int = 12, columns: int = 16) -> NDArray[np.float32]:
    delta = np.zeros((rows, columns + 1), np.float32)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        add_edge(delta, x0, y0, x1, y1)
    return np.abs(np.cumsum(delta, axis=1)[:, :columns])


def area(corners: FloatArray) -> float:
    x, y = corners.T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def quadrilateral(rng: np.random.Generator, spread: float) -> FloatArray:
    """Convex, somewhere around the picture."""
    angles = np.sort(rng.uniform(0.0, 2 * np.pi, 4))
    centre = rng.uniform((0.0, 0.0), (16.0, 12.0))
    return centre + rng.uniform(0.5, spread) * np.column_stack([np.cos(angles), np.sin(angles)])


def test_cells_of_a_triangle() -> None:
    corners = np.array([(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)])
    np.testing.assert_allclose(cover(corners, 2, 2), [[1.0, 0.5], [0.5, 0.0]], atol=1e-6)


def test_cell_of_a_rectangle_is_its_overlap() -> None:
    corners = np.array([(1.25, 2.5), (1.25, 5.0), (3.5, 5.0), (3.5, 2.5)])
    found = cover(corners)
    assert found[2, 1] == pytest.approx(0.75 * 0.5)
    assert found[3, 2] == pytest.approx(1.0)
    assert found[4, 3] == pytest.approx(0.5)
    assert found.sum() == pytest.approx(2.25 * 2.5)


def test_total_cover_is_the_area_inside_the_picture() -> None:
    rng = np.random.default_rng(0)
    picture = np.array([(0, 0), (16, 0), (16, 12), (0, 12)], np.float32)
    for _ in range(500):
        corners = quadrilateral(rng, 12.0)
        inside, _ = cv2.intersectConvexConvex(picture, corners.astype(np.float32))
        found = cover(corners)
        assert found.sum() == pytest.approx(inside, abs=2e-3)
        assert found.max() <= 1.0 + 1e-5


def test_cells_agree_with_counting_points() -> None:
    rng = np.random.default_rng(1)
    fine = 64
    for _ in range(20):
        corners = quadrilateral(rng, 8.0)
        mask = np.zeros((12 * fine, 16 * fine), np.uint8)
        points = np.round((corners * fine - 0.5) * 256).astype(np.int32)
        cv2.fillConvexPoly(mask, points, 1, lineType=cv2.LINE_8, shift=8)
        counted = mask.reshape(12, fine, 16, fine).mean(axis=(1, 3))
        # OpenCV fills boundary pixels too: up to two of 64 across a cell
        np.testing.assert_allclose(cover(corners), counted, atol=2.5 / fine)


def test_square_grows_by_half_a_pixel_up_and_five_eighths_sideways() -> None:
    corners = np.array([(10.0, 10.0), (20.0, 10.0), (20.0, 20.0), (10.0, 20.0)])
    grown = np.empty((4, 2))
    assert grow(corners, np.ones(4), grown)
    expected = [(9.375, 9.5), (20.625, 9.5), (20.625, 20.5), (9.375, 20.5)]
    np.testing.assert_allclose(grown, expected)


def test_edge_under_a_later_neighbour_moves_inwards_in_either_orientation() -> None:
    corners = np.array([(10.0, 10.0), (20.0, 10.0), (20.0, 20.0), (10.0, 20.0)])
    grown = np.empty((4, 2))
    assert grow(corners, np.array([1.0, -1.0, 1.0, 1.0]), grown)
    np.testing.assert_allclose(grown[:, 0], [9.375, 19.375, 19.375, 9.375])
    assert grow(corners[::-1].copy(), np.array([1.0, 1.0, 1.0, -1.0]), grown)
    assert area(grown) == pytest.approx(10.0 * 11.0)


def test_polygon_without_area_is_left_out() -> None:
    line = np.array([(1.0, 1.0), (5.0, 1.0), (5.0, 1.0), (1.0, 1.0)])
    assert not grow(line, np.ones(4), np.empty((4, 2)))


def test_car_polygons_are_filled_as_pygame_does() -> None:
    rng = np.random.default_rng(2)
    surface = pygame.Surface((1000, 800), depth=32)
    window = np.zeros((car_sprite.HEIGHT, car_sprite.WIDTH), np.int32)
    for k in range(200):
        shape = np.array(HULL_POLY3 if k % 2 else [(-14, 27), (14, 27), (14, -27), (-14, -27)])
        angle, size = rng.uniform(0.0, 2 * np.pi), rng.uniform(0.1, 0.32)
        turn = np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])
        points = np.array([500.0, 200.0]) + size * shape[:: rng.choice((-1, 1))] @ turn
        surface.fill((0, 0, 0))
        pygame.draw.polygon(surface, (255, 255, 255), [tuple(p) for p in points])
        drawn = pygame.surfarray.array3d(surface)[..., 0].T[::-1] > 0
        window[:] = 0
        whole = np.trunc(points)
        car_sprite.fill_polygon(window, whole[:, 0].copy(), whole[:, 1].copy(), car_sprite.HULL)
        rows = slice(car_sprite.TOP, car_sprite.TOP + car_sprite.HEIGHT)
        columns = slice(car_sprite.LEFT, car_sprite.LEFT + car_sprite.WIDTH)
        np.testing.assert_array_equal(window > 0, drawn[rows, columns])
