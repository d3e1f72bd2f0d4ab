"""What may stand in the way of the view: CarRacingExtension's bars, blob and noise.

Y. Tang, D. Nguyen and D. Ha, "Neuroevolution of Self-Interpretable Agents" (2020), tested agents
that never saw these.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.envs.box2d.car_dynamics import HULL_POLY4, SIZE
from numpy.typing import NDArray

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld

RED = (204, 0, 0)
PUBLISHED_SIDE = 8.0
REAR_RIGHT = (SIZE * HULL_POLY4[1][0], SIZE * HULL_POLY4[1][1])
NEAR_CORNER = (REAR_RIGHT[0] + 20.0, REAR_RIGHT[1] + 10.0)
BLOB_CENTRE = (NEAR_CORNER[0] + PUBLISHED_SIDE / 2, NEAR_CORNER[1] + PUBLISHED_SIDE / 2)
"""In the car's frame, right and ahead: of the published square, whose corner nearest to the car is
20 to the right of the hull's rear right corner and 10 ahead of it; other sizes keep its centre."""


@dataclass(frozen=True)
class GroundNoise:
    """Grass in colours at random, each grain of it anew for every frame.

    A grain's colour follows from the key, its place and the number of the frame alone: two cars
    see the same noise.

    Attributes:
        key: Chooses the colours; 0 to 2^63 - 1.
        share: Of the grains that are replaced; the others show grass.
        grain: Side of a grain, world units.
    """

    key: int
    share: float = 1.0
    grain: int = 1

    def frame_key(self, world: "CarRacingWorld") -> np.uint64:
        """The key of the frame that the world shows now."""
        frame = round(50 * world.t)
        return np.uint64((self.key + frame * 0x9E3779B97F4A7C15) % 2**64)


@dataclass(frozen=True)
class Scenery:
    """What a picture shows beside the world of gymnasium; nothing by default.

    Attributes:
        bars: Width of a black bar left and right, above the dashboard, share of the picture's.
        blob: Side of a red square that keeps its place in the car's frame, world units.
        noise: In place of the grass; None for grass.
    """

    bars: float = 0.0
    blob: float = 0.0
    noise: GroundNoise | None = None

    def blob_corners(self, hull: Any) -> NDArray[np.float64]:  # noqa: ANN401 - Box2D is untyped
        """Corners of the red square on the ground, (4, 2) world units."""
        half = self.blob / 2
        local = np.array([(half, -half), (-half, -half), (-half, half), (half, half)]) + BLOB_CENTRE
        cosine, sine = np.cos(hull.angle), np.sin(hull.angle)
        rotation = np.array([(cosine, -sine), (sine, cosine)])
        return np.asarray(local @ rotation.T + np.array(tuple(hull.position)))
