"""Builds all that the renderer shows of a course: ground, plants, backdrop."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from drive.udacity.simulator import cross_section, plants
from drive.udacity.simulator.backdrop import paint_backdrop
from drive.udacity.simulator.course_names import CourseName
from drive.udacity.simulator.courses import COURSES, HALF_WIDTH, Course
from drive.udacity.simulator.land import FAR, Land
from drive.udacity.simulator.looks import LOOKS, Look
from drive.udacity.simulator.relief import (
    CELL,
    Survey,
    crests,
    hill_shadows,
    noise,
    raise_hills,
    slopes,
    sunlight,
    survey,
)

GRAIN = 512


@dataclass(frozen=True, eq=False)
class Scenery:
    """A landscape, made once and shared by all renderers of a process.

    Attributes:
        land: Maps of the ground.
        things: Trees and bushes, ``(n, 7)``; see `billboards.draw_billboards`.
        atlas: Their pictures.
        backdrop: Sky and distant hills all round.
        haze: Colour of the distance, and how much of it a metre adds, ``(4,)``.
    """

    land: Land
    things: NDArray[np.float32]
    atlas: NDArray[np.uint8]
    backdrop: NDArray[np.uint8]
    haze: NDArray[np.float64]


@lru_cache(maxsize=4)
def build(name: CourseName, seed: int) -> Scenery:
    """The landscape of a course; `seed` chooses its hills, plants and textures."""
    course, look = COURSES[name], LOOKS[name]
    rng = np.random.default_rng(seed)
    ground = survey(course.track)
    height, wet = raise_hills(ground, look, rng)
    things = plants.plant(ground, height, wet, look, rng)
    colour = _paint(height, wet, look, rng)
    _darken(colour, hill_shadows(height, look) * np.uint8(255), look)
    _darken(colour, _tree_shadows(things, ground, look), look)
    _build_walls(height, ground, course)
    rows, columns = height.shape
    far = np.asarray(
        cv2.resize(colour, (columns // FAR, rows // FAR), interpolation=cv2.INTER_AREA),
        dtype=np.uint8,
    )
    land = Land(
        ground.left, ground.bottom, CELL, course.track.length,
        course.track.length / round(course.track.length / cross_section.STRIPE),
        height, crests(height), ground.lateral, ground.arc, colour, far,
        cross_section.cross_sections(look), cross_section.sides(course, look), _grain(rng),
    )  # fmt: skip
    haze = np.array([*look.haze, 1.0 / look.haze_length])
    backdrop = paint_backdrop(look, rng)
    return Scenery(land, things, plants.pictures(look, rng), backdrop, haze)


def _paint(
    height: NDArray[np.float32],
    wet: NDArray[np.bool_],
    look: Look,
    rng: np.random.Generator,
) -> NDArray[np.uint8]:
    """Colour of the soil under the sun, and the light on it, (rows, columns, 4)."""
    patches = noise(height.shape, 18.0, rng) + 0.5 * noise(height.shape, 5.0, rng)
    low, middle, high = (np.array(colour, dtype=np.float32) for colour in look.grounds)
    share = np.clip(0.5 + 0.5 * patches, 0.0, 1.0)[..., None]
    colour = np.where(share < 0.5, low + 2 * share * (middle - low), 0)
    colour = np.where(share >= 0.5, middle + (2 * share - 1) * (high - middle), colour)
    east, north = slopes(height)
    steep = np.clip(2.5 * np.hypot(east, north) - 0.6, 0.0, 1.0)[..., None]
    colour = colour + steep * (np.array(look.slope, dtype=np.float32) - colour)
    speckle = 1.0 + 0.07 * rng.standard_normal((*height.shape, 1)).astype(np.float32)
    light = sunlight(height, look)[..., None]
    tint = np.array([0.86, 0.95, 1.08], dtype=np.float32)
    shaded = np.clip(1.2 - light, 0.0, 1.0)
    colour = colour * speckle * light * (1.0 + shaded * (tint - 1.0))
    colour = np.where(wet[..., None], np.array(look.water, dtype=np.float32), colour)
    full = np.full((*height.shape, 1), 255.0, dtype=np.float32)
    painted = np.clip(np.concatenate([colour, full], axis=-1), 0, 255)
    return np.asarray(painted, dtype=np.uint8)


def _tree_shadows(things: NDArray[np.float32], ground: Survey, look: Look) -> NDArray[np.uint8]:
    """Where plants keep the sun away: 255 there, 0 elsewhere."""
    shade = np.zeros(ground.lateral.shape, np.uint8)
    sun = np.array(look.sun)
    flat = np.hypot(sun[0], sun[1])
    angle = float(np.degrees(np.arctan2(sun[1], sun[0])))
    for x, y, _, width, tall, *_ in things:
        reach = tall * flat / sun[2]
        for share, size in ((0.35, 0.35), (0.75, 0.9)):
            u = (x - share * reach * sun[0] / flat - ground.left) / CELL
            v = (y - share * reach * sun[1] / flat - ground.bottom) / CELL
            axes = (int(0.25 * reach / CELL), int(0.5 * size * width / CELL))
            cv2.ellipse(shade, (int(u), int(v)), axes, angle, 0.0, 360.0, (255,), -1)
    return shade


def _darken(colour: NDArray[np.uint8], shade: NDArray[np.uint8], look: Look) -> None:
    """Takes light away where there is shade, softly at its edge."""
    soft = cv2.GaussianBlur(shade, (0, 0), 1.0).astype(np.float32)[..., None] / 255.0
    colour[:] = colour * (1.0 - (1.0 - look.shadow) * soft)


def _build_walls(height: NDArray[np.float32], ground: Survey, course: Course) -> None:
    """Raises the walls of the bridge."""
    away = np.abs(ground.lateral)
    wall = (away > HALF_WIDTH + 0.5) & (away < HALF_WIDTH + 1.8)
    height[wall & course.on_bridge(ground.arc)] = 1.0


def _grain(rng: np.random.Generator) -> NDArray[np.int8]:
    """Periodic noise of several sizes."""
    field = np.zeros((GRAIN, GRAIN))
    for spread, share in ((0.45, 1.0), (1.2, 0.9), (3.5, 0.5)):
        white = np.fft.rfft2(rng.standard_normal((GRAIN, GRAIN)))
        down, over = np.fft.fftfreq(GRAIN), np.fft.rfftfreq(GRAIN)
        gain = np.exp(-2.0 * (np.pi * spread) ** 2 * (down[:, None] ** 2 + over[None, :] ** 2))
        layer = np.fft.irfft2(white * gain, s=(GRAIN, GRAIN))
        field += share * layer / layer.std()
    return np.asarray(np.clip(48.0 * field / field.std(), -127, 127), dtype=np.int8)
