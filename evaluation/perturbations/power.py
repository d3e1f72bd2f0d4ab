"""A weak engine."""

from drive.carracing.dynamics import scale_dynamics
from drive.carracing.world import CarRacingWorld
from evaluation.perturbations.protocol import Perturbation, register


@register
class Power(Perturbation):
    """Less power of the engine at the same gas."""

    name = "power"
    group = "dynamics"
    changes = "power of the engine times {}"
    levels = (0.85, 0.7, 0.55, 0.4, 0.25)

    def prepare(self, world: CarRacingWorld) -> None:
        """Scales the engine's power."""
        scale_dynamics(world, power=self.level)
