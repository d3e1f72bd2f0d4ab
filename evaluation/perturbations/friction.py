"""A slippery day."""

from drive.carracing.dynamics import scale_dynamics
from drive.carracing.world import CarRacingWorld
from evaluation.perturbations.protocol import Perturbation, register


@register
class Friction(Perturbation):
    """Less grip of all tyres, on the road and beside it."""

    name = "friction"
    group = "dynamics"
    changes = "grip of the tyres times {}, on road and grass"
    levels = (0.9, 0.8, 0.7, 0.6, 0.5)

    def prepare(self, world: CarRacingWorld) -> None:
        """Scales the largest force that a tyre can pass on."""
        scale_dynamics(world, friction=self.level)
