"""The dashboard of CarRacing: indicators by exact area, the score as a cached patch."""

from functools import lru_cache

import numpy as np
import pygame
from numpy.typing import NDArray

from drive.carracing.coverage import FloatArray, FloatImage, compiled

FIRST_ROW, ROWS = 84, 12
TOP = 700.0
CELL_WIDTH, CELL_HEIGHT = 1000.0 / 96.0, 800.0 / 96.0
SCORE_SIZE = 12  # cells, from the lower left corner of the picture


@compiled
def _overlap(low: float, high: float, cell: int, size: float) -> float:
    return max(min(high, (cell + 1) * size) - max(low, cell * size), 0.0) / size


@compiled
def _fill(
    strip: FloatImage, x0: float, y0: float, x1: float, y1: float, colour: tuple[int, int, int]
) -> None:
    """Fill pixels x0 <= x < x1, y0 <= y < y1 of the surface, where the strip is still black."""
    rows = range(
        max(int((y0 - TOP) / CELL_HEIGHT), 0), min(int((y1 - TOP) / CELL_HEIGHT) + 1, ROWS)
    )
    columns = range(max(int(x0 / CELL_WIDTH), 0), min(int(x1 / CELL_WIDTH) + 1, 96))
    for row in rows:
        height = _overlap(y0 - TOP, y1 - TOP, row, CELL_HEIGHT)
        for column in columns:
            cover = height * _overlap(x0, x1, column, CELL_WIDTH)
            for c in range(3):
                strip[c, row, column] += cover * colour[c]


@compiled
def _bar(value: float) -> tuple[float, float]:
    """First row and end of a vertical indicator; pygame truncates corners and fills to both."""
    end = int(800.0 - (20.0 + 20.0 * value))
    return min(end, 780.0), max(end, 780.0) + 1.0


@compiled
def _wheel_speeds(strip: FloatImage, omegas: FloatArray) -> None:
    """Four bars side by side; each covers its left neighbour's last column of pixels."""
    for w in range(4):
        if abs(omegas[w]) <= 1e-4:
            continue
        x = (7 + w) * 25.0
        colour = (51 if w > 1 else 0, 0, 255)
        top, end = _bar(0.01 * omegas[w])
        _fill(strip, x, top, x + 25.0, end, colour)
        if w == 3 or abs(omegas[w + 1]) <= 1e-4:
            _fill(strip, x + 25.0, top, x + 26.0, end, colour)
        else:
            next_top, next_end = _bar(0.01 * omegas[w + 1])
            if top < next_top:
                _fill(strip, x + 25.0, top, x + 26.0, next_top, colour)
            if end > next_end:
                _fill(strip, x + 25.0, next_end, x + 26.0, end, colour)


@compiled
def _horizontal(strip: FloatImage, place: int, value: float, colour: tuple[int, int, int]) -> None:
    start, end = place * 25.0, float(int((place + value) * 25.0))
    _fill(strip, min(start, end), 720.0, max(start, end) + 1.0, 761.0, colour)


@compiled
def draw_dashboard(
    strip: FloatImage, speed: float, omegas: FloatArray, steering: float, yaw_rate: float
) -> None:
    """Black strip, speed, wheel speeds, steering and gyroscope, as gymnasium's indicators.

    Args:
        strip: (3, 12, 96), overwritten. No speed that the car can reach leads out of it.
        speed: World units/s.
        omegas: (4,) wheel speeds, rad/s.
        steering: Angle of the front wheel's joint, rad.
        yaw_rate: rad/s.
    """
    strip[:] = 0.0
    if speed > 1e-4:
        top, end = _bar(0.02 * speed)
        _fill(strip, 125.0, top, 151.0, end, (255, 255, 255))
    _wheel_speeds(strip, omegas)
    if abs(steering) > 1e-4:
        _horizontal(strip, 20, -10.0 * steering, (0, 255, 0))
    if abs(yaw_rate) > 1e-4:
        _horizontal(strip, 30, -0.8 * yaw_rate, (255, 0, 0))


@lru_cache(maxsize=4096)
def score_patch(text: str) -> NDArray[np.uint8]:
    """The score in pygame's own font, scaled down once for each text: (3, 12, 12) uint8.

    125 x 100 surface pixels are exactly 12 x 12 cells, so this is what gymnasium shows there.
    """
    try:
        rendered = _font().render(text, True, (255, 255, 255), (0, 0, 0))
    except pygame.error:  # someone quit pygame, which invalidates its fonts
        _font.cache_clear()
        rendered = _font().render(text, True, (255, 255, 255), (0, 0, 0))
    surface = pygame.Surface((125, 100), depth=32)
    surface.blit(rendered, rendered.get_rect(center=(60, 50)))
    small = pygame.transform.smoothscale(surface, (SCORE_SIZE, SCORE_SIZE))
    return np.ascontiguousarray(pygame.surfarray.array3d(small).transpose(2, 1, 0))


@lru_cache(maxsize=1)
def _font() -> pygame.font.Font:
    pygame.font.init()
    return pygame.font.Font(pygame.font.get_default_font(), 42)
