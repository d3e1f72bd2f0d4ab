"""The world as its driver sees it: gymnasium's picture before it is made small."""

from typing import TYPE_CHECKING

import numpy as np
import pygame
from gymnasium.envs.box2d.car_racing import WINDOW_H, WINDOW_W

from drive.carracing.exact_renderer import Camera, CarOutline, ExactRenderer

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld

SIZE = (WINDOW_W, WINDOW_H)


class Windscreen(ExactRenderer):
    """Draws what the exact renderer draws, with the marks of the tyres, and shrinks nothing."""

    def picture(self, world: "CarRacingWorld") -> pygame.Surface:
        """The world, 1000 x 800; the lowest eighth is left to the instruments."""
        camera = Camera.over(world)
        self._draw_ground(world, camera)
        for mark in world.car.particles:
            points = camera.pixels(np.array(mark.poly)).tolist()
            pygame.draw.lines(self._upside_down, mark.color, False, points, 2)
        if self._car is None or self._car.car is not world.car:
            self._car = CarOutline(world.car)
        self._car.draw(self._upside_down, camera)
        return pygame.transform.flip(self._upside_down, False, True)
