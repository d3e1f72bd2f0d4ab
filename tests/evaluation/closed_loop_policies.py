"""Policies of few lines, found by name as a user's own policy is."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drive.observation import ObservationSpec
from policies.protocol import ACTION_HIGH, ACTION_LOW, Decision


class Scripted:
    """Draws its actions; sees the worlds, but does not look."""

    name = "scripted"
    observation = ObservationSpec("world", 1)

    def reset(self, n: int, seed: int = 0) -> None:  # noqa: ARG002
        self.rng = np.random.default_rng(seed)
        self.steps = 0

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        self.steps += 1
        mean = self.rng.normal([0.0, 0.6, 0.0], 0.3, (len(observations), 3)).astype(np.float32)
        sigma = np.abs(mean) + np.float32(0.01)
        return Decision(np.clip(mean, ACTION_LOW, ACTION_HIGH), mean, sigma, sigma)


class Sleeper(Scripted):
    """Does nothing, under the name of the one that does."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        return Decision.certain(np.zeros((len(observations), 3), dtype=np.float32))


class WrongShape(Scripted):
    """Forgets the brake."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        return Decision.certain(np.zeros((len(observations), 2), dtype=np.float32))


class NotANumber(Scripted):
    """Decides NaN at the third step."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        decision = super().act(observations)
        if self.steps == 3:
            decision.action[1, 0] = np.nan
        return decision


class Blindfold(Scripted):
    """Has pictures drawn, and does not look at them."""

    observation = ObservationSpec("gray84", 1)


class Unsure(Blindfold):
    """Does not know how unsure it is."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        decision = super().act(observations)
        decision.epistemic[:, 0] = np.nan
        return decision


class Raises(Scripted):
    """Fails in its own way."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:  # noqa: ARG002
        raise RuntimeError("two\nlines")


class Leaves(Scripted):
    """Ends the program, as if all was done."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:  # noqa: ARG002
        raise SystemExit(0)


class Sees(Scripted):
    """Wants to see what there is not."""

    observation = ObservationSpec("lidar", 1)  # type: ignore[arg-type]


class Stranded(Scripted):
    """Starts a lap and gets no further on the machine where the environment says so."""

    def reset(self, n: int, seed: int = 0) -> None:
        super().reset(n, seed)
        if "STRANDED" in os.environ:
            Path(os.environ["STRANDED"]).touch()
            time.sleep(600)
