"""Gymnasium's own picture."""

from typing import TYPE_CHECKING

import numpy as np
from gymnasium.envs.box2d.car_racing import CarRacing

from drive.carracing.observations import Frames, warp_frame

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld


class ExactRenderer:
    """Draws what gymnasium draws."""

    def render(self, world: "CarRacingWorld") -> Frames:
        """The picture of a world, (96, 96, 3) uint8."""
        return np.ascontiguousarray(CarRacing._render(world, "state_pixels"))

    def render_gray(self, world: "CarRacingWorld") -> Frames:
        """The picture as SB3's WarpFrame shows it, (84, 84) uint8."""
        return warp_frame(self.render(world))
