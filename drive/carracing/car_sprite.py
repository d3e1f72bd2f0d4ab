"""The car of CarRacing, pixel by pixel on its own small window of gymnasium's surface.

The camera follows the car, so it always appears in the same few cells of the picture. It is drawn
there at the surface's full resolution, as pygame.draw.polygon does, then averaged into the cells.
"""

import math

import numpy as np
from numpy.typing import NDArray

from drive.carracing.coverage import FloatArray, FloatImage, compiled

# The cells around the car (rows and columns of the 96 x 96 picture) and the surface pixels under
# them; a cell is 125 / 12 by 25 / 3 pixels.
FIRST_ROW, ROWS = 66, 11
FIRST_COLUMN, COLUMNS = 45, 6
TOP, HEIGHT = 550, 92
LEFT, WIDTH = 468, 64

Window = NDArray[np.int32]

SIZE = 0.02
WHEEL_RADIUS, WHEEL_HALF_WIDTH = 27 * SIZE, 14 * SIZE
# A pixel's paint is a one in the bits that count black, light grey or hull pixels.
BLACK, WHITE, HULL = 1, 1 << 10, 1 << 20
WHEEL_WHITE = 77.0


@compiled
def _horizontal_line(window: Window, y: int, x0: int, x1: int, paint: int) -> None:
    row = 799 - y - TOP
    if row < 0 or row >= HEIGHT:
        return
    for x in range(max(x0 - LEFT, 0), min(x1 - LEFT + 1, WIDTH)):
        window[row, x] = paint


@compiled
def fill_polygon(window: Window, px: FloatArray, py: FloatArray, paint: int) -> None:
    """Fill a convex polygon with whole corners as pygame.draw.polygon does.

    pygame rounds the first edge it meets in a row of pixels down and the second one up.
    """
    low, high = py.min(), py.max()
    if low == high:
        _horizontal_line(window, int(low), int(px.min()), int(px.max()), paint)
    for row in range(int(low), int(high) + 1 if low < high else int(low)):
        y = float(row)
        crossings, first, second = 0, 0, 0
        for k in range(len(px)):
            x0, y0, x1, y1 = px[k - 1], py[k - 1], px[k], py[k]
            if y0 > y1:
                x0, y0, x1, y1 = x1, y1, x0, y0
            if y0 <= y < y1 or (y == high == y1 and y0 < y1):
                x = (y - y0) * (x1 - x0) / (y1 - y0) + x0
                if crossings == 0:
                    first = math.floor(x)
                else:
                    second = math.ceil(x)
                crossings += 1
        _horizontal_line(window, row, min(first, second), max(first, second), paint)


@compiled
def _place(
    local: FloatArray,
    count: int,
    body: FloatArray,
    camera: FloatArray,
    px: FloatArray,
    py: FloatArray,
) -> None:
    """Corners of a body's polygon on the surface, through Box2D's single-precision transform."""
    cosine, sine = np.float32(math.cos(body[2])), np.float32(math.sin(body[2]))
    bx, by = np.float32(body[0]), np.float32(body[1])
    c, s, zoom, tx, ty = camera[0], camera[1], camera[2], camera[3], camera[4]
    for k in range(count):
        vx, vy = np.float32(local[k, 0]), np.float32(local[k, 1])
        wx = np.float64(cosine * vx - sine * vy + bx)
        wy = np.float64(sine * vx + cosine * vy + by)
        px[k] = int((c * wx - s * wy) * zoom + tx)
        py[k] = int((s * wx + c * wy) * zoom + ty)


@compiled
def _tread(phase: float, local: FloatArray) -> bool:
    """The light stripe of a wheel turned by ``phase``, in the wheel's frame; False when hidden."""
    s1, s2 = math.sin(phase), math.sin(phase + 1.2)
    c1, c2 = math.cos(phase), math.cos(phase + 1.2)
    if s1 > 0 and s2 > 0:
        return False
    if s1 > 0:
        c1 = np.sign(c1)
    if s2 > 0:
        c2 = np.sign(c2)
    for k in range(4):
        local[k, 0] = -WHEEL_HALF_WIDTH if k in (0, 3) else WHEEL_HALF_WIDTH
        local[k, 1] = WHEEL_RADIUS * (c1 if k < 2 else c2)
    return True


@compiled
def draw_car(
    window: Window,
    camera: FloatArray,
    bodies: FloatArray,
    phases: FloatArray,
    polygons: FloatArray,
    counts: NDArray[np.int64],
) -> None:
    """Draw wheels, treads and hull into the (HEIGHT, WIDTH) window.

    Args:
        window: Paints; overwritten.
        camera: cos, sin, zoom and translation of gymnasium's view.
        bodies: (5, 3) position and angle of the four wheels and the hull.
        phases: (4,) rotation of the wheels, rad.
        polygons: (5, 8, 2) corners in their body's frame, in Box2D's order: a wheel, then the hull.
        counts: (5,) how many corners each has.
    """
    window[:] = 0
    px, py, tread = np.empty(8), np.empty(8), np.empty((4, 2))
    for w in range(4):
        _place(polygons[0], 4, bodies[w], camera, px, py)
        fill_polygon(window, px[:4], py[:4], BLACK)
        if _tread(phases[w], tread):
            _place(tread, 4, bodies[w], camera, px, py)
            fill_polygon(window, px[:4], py[:4], WHITE)
    for p in range(1, len(polygons)):
        _place(polygons[p], counts[p], bodies[4], camera, px, py)
        fill_polygon(window, px[: counts[p]], py[: counts[p]], HULL)


@compiled
def blend_car(layer: FloatImage, window: Window, hull_colour: FloatArray) -> None:
    """Average the window into the cells of the layer (4, rows, 96) over what they hold.

    Cell borders lie on thirds of pixels downwards and on twelfths sideways, so that the shares are
    whole numbers.
    """
    counts = np.empty(WIDTH, np.int32)
    start = 125 * FIRST_COLUMN - 12 * LEFT
    area = np.float32(1.0 / (125 * 25))
    for i in range(ROWS):
        counts[:] = 0
        for y in range(25 * i // 3, (25 * i + 27) // 3):
            share = min(3 * y + 3, 25 * i + 25) - max(3 * y, 25 * i)
            for x in range(WIDTH):
                counts[x] += share * window[y, x]
        for j in range(COLUMNS):
            left = start + 125 * j
            black, white, red = 0, 0, 0
            for x in range(left // 12, (left + 136) // 12):
                share = min(12 * x + 12, left + 125) - max(12 * x, left)
                black += share * (counts[x] & 1023)
                white += share * (counts[x] >> 10 & 1023)
                red += share * (counts[x] >> 20)
            if black + white + red == 0:
                continue
            row, column = FIRST_ROW + i, FIRST_COLUMN + j
            cover = np.float32(black + white + red) * area
            for c in range(3):
                colour = (white * WHEEL_WHITE + red * hull_colour[c]) * area
                layer[c, row, column] = layer[c, row, column] * (1 - cover) + colour
            layer[3, row, column] = layer[3, row, column] * (1 - cover) + cover
