"""Gymnasium's car with other constants: grip of the tyres and power of the engine."""

from types import FunctionType, MethodType
from typing import TYPE_CHECKING

from gymnasium.envs.box2d import car_dynamics
from gymnasium.envs.box2d.car_dynamics import Car

if TYPE_CHECKING:
    from drive.carracing.world import CarRacingWorld


def scale_dynamics(world: "CarRacingWorld", *, friction: float = 1.0, power: float = 1.0) -> None:
    """Scales constants of the world's car, until its next reset, and of no other car.

    Gymnasium's constants belong to its module. So the car gets a copy of gymnasium's own ``step``
    that reads others; with both factors 1 it drives to the last bit as before.

    Args:
        world: After its reset.
        friction: Times the largest force that a tyre passes on, on the road and beside it.
        power: Times the engine's power.
    """
    constants = {
        **vars(car_dynamics),
        "FRICTION_LIMIT": car_dynamics.FRICTION_LIMIT * friction,
        "ENGINE_POWER": car_dynamics.ENGINE_POWER * power,
    }
    step = FunctionType(Car.step.__code__, constants, "step")
    world.car.step = MethodType(step, world.car)
