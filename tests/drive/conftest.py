import math
from collections.abc import Callable

import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import CarRacing
from numpy.typing import NDArray

from drive.carracing.world import CarRacingWorld

Action = NDArray[np.float64]


class StockPhysics(CarRacing):
    """Gymnasium's CarRacing without its picture, which physics does not depend on."""

    def _render(self, mode: str) -> NDArray[np.uint8]:  # noqa: ARG002
        return np.zeros((96, 96, 3), dtype=np.uint8)


@pytest.fixture
def stock_physics() -> StockPhysics:
    return StockPhysics()


@pytest.fixture
def pursue() -> Callable[..., Action]:
    """Plain pure pursuit of the centre line, or of a line beside it (left positive)."""

    def drive(world: CarRacingWorld, offset: float = 0.0) -> Action:
        hull = world.car.hull
        track = world.track_geometry
        here = track.project(tuple(hull.position))
        speed = math.hypot(*hull.linearVelocity)
        ahead = here.arc_length + 6.0 + 0.15 * speed
        heading = track.heading_at(ahead)
        x, y = track.point_at(ahead) + offset * np.array([-np.sin(heading), np.cos(heading)])
        wanted = math.atan2(y - hull.position[1], x - hull.position[0])
        turn = (wanted - hull.angle - math.pi / 2 + math.pi) % (2 * math.pi) - math.pi
        limit = 45.0 - 25.0 * min(1.0, 2.0 * abs(turn))
        return np.array([np.clip(-2.0 * turn, -1, 1), 0.4 * (speed < limit), 0.2 * (speed > 50)])

    return drive
