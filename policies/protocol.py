"""The contract between a policy and the closed loop."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from drive.observation import ObservationSpec

ACTIONS = ("steer", "gas", "brake")
"""Names of the action's components: steer in [-1, 1] (right positive), gas and brake in [0, 1]."""

ACTION_LOW = np.array([-1.0, 0.0, 0.0], dtype=np.float32)
ACTION_HIGH = np.array([1.0, 1.0, 1.0], dtype=np.float32)


@dataclass(frozen=True)
class Decision:
    """What a policy decided for a batch of cars.

    Attributes:
        action: What is driven, within the action limits, float32 ``(batch, 3)``.
        mean: Predicted mean of the action before clipping, float32 ``(batch, 3)``.
        aleatoric: Standard deviation of the noise in the data, >= 0, float32 ``(batch, 3)``.
        epistemic: Standard deviation of the model's own doubt, >= 0, float32 ``(batch, 3)``.
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
        fits = mean.shape[-1:] == ACTION_LOW.shape
        return cls(np.clip(mean, ACTION_LOW, ACTION_HIGH) if fits else mean, mean, zero, zero)


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
