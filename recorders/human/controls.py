"""From what a person holds to what the car is told: ramps for keys, a curve for the stick."""

from dataclasses import dataclass
from math import copysign

import numpy as np
from numpy.typing import NDArray

from policies.privileged import FULL_LOCK
from policies.protocol import ACTION_HIGH, ACTION_LOW
from recorders.human.config import STEPS_PER_SECOND, HumanConfig


@dataclass(frozen=True)
class Hands:
    """What is held at this moment.

    Attributes:
        left: Whether a key for the left is held, and so on.
        right: To the right.
        gas: For the gas.
        brake: For the brake.
        stick: Gamepad's stick, -1 (left) to 1.
        gas_trigger: Gamepad's trigger for the gas, 0 to 1.
        brake_trigger: The one for the brake.
    """

    left: bool = False
    right: bool = False
    gas: bool = False
    brake: bool = False
    stick: float = 0.0
    gas_trigger: float = 0.0
    brake_trigger: float = 0.0


@dataclass(frozen=True)
class Ramps:
    """How far the keys have moved the wheel and the pedals.

    Attributes:
        steer: In full locks, [-1, 1], right positive.
        gas: In [0, 1].
        brake: In [0, 1].
    """

    steer: float = 0.0
    gas: float = 0.0
    brake: float = 0.0

    def after(self, hands: Hands, speed: float, config: HumanConfig) -> "Ramps":
        """The same one step later.

        Args:
            hands: What is held.
            speed: Of the car, world units a second.
            config: The rates.
        """
        gas, brake = config.key_gas * hands.gas, config.key_brake * hands.brake
        return Ramps(
            self._steered(float(hands.right) - float(hands.left), speed, config),
            _towards(self.gas, gas, config.gas_rate if hands.gas else config.release_rate),
            _towards(self.brake, brake, config.brake_rate if hands.brake else config.release_rate),
        )

    def _steered(self, side: float, speed: float, config: HumanConfig) -> float:
        """Towards the side of the key; first to the middle, and no further without a key."""
        if self.steer * side < 0 or side == 0:
            return _towards(self.steer, 0.0, config.return_rate)
        fast = min(speed / config.fast_speed, 1.0)
        return _towards(self.steer, side, config.steer_rate * (1 - fast * (1 - config.fast_share)))


def action(ramps: Ramps, hands: Hands, config: HumanConfig) -> NDArray[np.float32]:
    """What keys and gamepad together tell the car: steer, gas and brake, float32 ``(3,)``.

    A steer beyond ``FULL_LOCK`` would turn the wheels no further, but take time to come back from.
    """
    stick = copysign(_beyond(abs(hands.stick), config.dead_zone) ** config.exponent, hands.stick)
    gas = max(ramps.gas, _beyond(hands.gas_trigger, config.dead_zone))
    brake = max(ramps.brake, _beyond(hands.brake_trigger, config.dead_zone))
    locks = min(max(ramps.steer + stick, -1.0), 1.0)
    told = np.array([FULL_LOCK * locks, gas, brake], dtype=np.float32)
    return np.clip(told, ACTION_LOW, ACTION_HIGH)


def _towards(value: float, target: float, rate: float) -> float:
    step = rate / STEPS_PER_SECOND
    return min(max(target, value - step), value + step)


def _beyond(value: float, dead_zone: float) -> float:
    """The part of [0, 1] beyond the dead zone, stretched to [0, 1]."""
    return min(max(value - dead_zone, 0.0) / (1 - dead_zone), 1.0)
