"""The contract between a policy and the closed loop."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from drive.observation import ObservationSpec

ACTIONS = ("steer", "gas", "brake")
"""What CarRacing is driven with: steer in [-1, 1] (right positive), gas and brake in [0, 1]."""

ACTION_LOW = np.array([-1.0, 0.0, 0.0], dtype=np.float32)
ACTION_HIGH = np.array([1.0, 1.0, 1.0], dtype=np.float32)


@dataclass(frozen=True)
class ActionSpace:
    """What a kind of car is driven with.

    Attributes:
        names: Of the action's components.
        low: Least value of each, float32.
        high: Largest value of each, float32.
    """

    names: tuple[str, ...]
    low: NDArray[np.float32]
    high: NDArray[np.float32]


CARRACING = ActionSpace(ACTIONS, ACTION_LOW, ACTION_HIGH)
STEERING = ActionSpace(ACTIONS[:1], ACTION_LOW[:1], ACTION_HIGH[:1])
"""The Udacity simulator's: a policy steers, and a controller keeps the speed."""


def actions_of(observation: ObservationSpec) -> ActionSpace:
    """What a policy that is shown this must decide."""
    return STEERING if observation.kind == "camera" else CARRACING


@dataclass(frozen=True)
class Decision:
    """What a policy decided for a batch of cars.

    Attributes:
        action: What is driven, within the action limits, float32 ``(batch, actions)``: 3 of them
            in CarRacing, 1 in the Udacity simulator.
        mean: Predicted mean of the action before clipping, float32 ``(batch, actions)``.
        aleatoric: Standard deviation of the noise in the data, >= 0, float32 likewise.
        epistemic: Standard deviation of the model's own doubt, >= 0, float32 likewise.
        taken_over: Where ``action`` is a supervisor's and not that of the policy which stated the
            rest, bool ``(batch,)``; None for nowhere.
    """

    action: NDArray[np.float32]
    mean: NDArray[np.float32]
    aleatoric: NDArray[np.float32]
    epistemic: NDArray[np.float32]
    taken_over: NDArray[np.bool_] | None = None

    @classmethod
    def certain(cls, action: NDArray[np.floating[Any]]) -> "Decision":
        """A decision of a driver that states no uncertainty; its action is clipped.

        A wrong shape is kept, for ``policies.checked`` to name.
        """
        mean = np.asarray(action, dtype=np.float32)
        zero = np.zeros_like(mean)
        for space in (CARRACING, STEERING):
            if mean.shape[-1:] == space.low.shape:
                return cls(np.clip(mean, space.low, space.high), mean, zero, zero)
        return cls(mean, mean, zero, zero)


@runtime_checkable
class Policy(Protocol):
    """Drives a batch of cars in lock-step.

    Attributes:
        name: How tables and files call it.
        observation: What it wants to see.
    """

    name: str
    observation: ObservationSpec

    def reset(self, n: int, seed: int = 0) -> None:
        """Prepares for ``n`` new laps; every random draw until the next reset follows ``seed``."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        """Decides for all ``n`` cars.

        Args:
            observations: ``(n, *observation.shape)`` uint8, or ``n`` worlds for kind ``world``.
        """


@runtime_checkable
class Watchful(Policy, Protocol):
    """A policy that reads the worlds beside its observations, as one with a supervisor does."""

    def watch(self, worlds: Sequence[Any]) -> None:
        """Is shown the ``n`` worlds before each ``act``."""
