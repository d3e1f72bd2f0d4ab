"""Drives the episodes of a batch in lock-step: the expert labels, expert or learner drives."""

from collections.abc import Generator, Sequence
from functools import lru_cache
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import policies
from drive.carracing.observations import FrameStack
from policies.protocol import ACTIONS, Policy
from recorders.config import WORLD, RecordConfig, RecordError
from recorders.episode import Episode
from recorders.lane import Lane

Environment = gymnasium.Env[NDArray[np.uint8], NDArray[np.float32]]


class Driver:
    """A policy, fed with what it wants to see of a batch of lanes."""

    def __init__(self, name: str, role: str) -> None:
        """Loads the policy.

        Args:
            name: What ``policies.load`` takes.
            role: ``driver`` or ``learner``, for error messages.

        Raises:
            RecordError: It sees what a recording does not hold.
            policies.PolicyError: It is unknown or cannot be loaded.
        """
        self._role = f"{role} {name}"
        self._policy: Policy = policies.load(name)
        self._stack = FrameStack(1, 1)
        kind = self._policy.observation.kind
        if kind == "rgb96":
            raise RecordError(f"{self._role} looks at {kind}, but a recording holds gray84 frames")

    @property
    def sees_worlds(self) -> bool:
        """Whether it reads the worlds themselves."""
        return self._policy.observation.kind == "world"

    def reset(self, n: int, seed: int) -> None:
        """Prepares for ``n`` new episodes."""
        self._policy.reset(n, seed)
        self._stack = FrameStack(n, self._policy.observation.frames)

    def act(self, lanes: Sequence[Lane]) -> NDArray[np.float32]:
        """Actions for all lanes, float32 ``(n, 3)``.

        Raises:
            RecordError: The policy returned another shape, or values that are not finite.
        """
        if self.sees_worlds:
            decision = self._policy.act([lane.world for lane in lanes])
        else:
            frames = np.stack([lane.frame for lane in lanes])
            decision = self._policy.act(self._stack.push(frames))
        action = np.asarray(decision.action, dtype=np.float32)
        if action.shape != (len(lanes), len(ACTIONS)):
            raise RecordError(
                f"{self._role} returned actions of shape {action.shape}, "
                f"expected {(len(lanes), len(ACTIONS))}"
            )
        if not np.isfinite(action).all():
            raise RecordError(f"{self._role} returned an action that is not finite: {action}")
        return action


def drive(
    config: RecordConfig, episodes: Sequence[int], tracks: Sequence[str]
) -> Generator[Episode, None, None]:
    """Drives the episodes of one batch.

    A lane that has finished keeps showing its last frame, so that what the other lanes see and
    draw does not depend on it.

    Args:
        config: What to record.
        episodes: Numbers of the episodes.
        tracks: Their maps.

    Yields:
        Each episode as soon as it ends.
    """
    expert = _driver(config.driver, "driver")
    learner = _driver(config.learner, "learner") if config.learner else None
    lanes = [
        Lane(_environment(slot, config.renderer), config, index, track)
        for slot, (index, track) in enumerate(zip(episodes, tracks, strict=True))
    ]
    for driver in (expert, learner):
        if driver is not None:
            driver.reset(len(lanes), _policy_seed(config, episodes[0]))
    driving = set(range(len(lanes)))
    while driving:
        labels = expert.act(lanes)
        proposals = learner.act(lanes) if learner else None
        for i in sorted(driving):
            lanes[i].step(labels[i], None if proposals is None else proposals[i])
            if lanes[i].outcome:
                driving.remove(i)
                yield lanes[i].episode()


def batch_size(config: RecordConfig) -> int:
    """Episodes driven in lock-step: one where no forward pass is shared, so that none waits."""
    alone = config.learner is None and _driver(config.driver, "driver").sees_worlds
    return 1 if alone else config.batch


def check_drivers(config: RecordConfig) -> None:
    """Loads the expert and the learner, and so names a fault before anything is recorded."""
    _driver(config.driver, "driver")
    if config.learner:
        _driver(config.learner, "learner")


@lru_cache(maxsize=4)
def _driver(name: str, role: str) -> Driver:
    return Driver(name, role)


@lru_cache(maxsize=64)
def _environment(slot: int, renderer: str) -> Environment:  # noqa: ARG001 - one world a slot
    kwargs: dict[str, Any] = {"renderer": renderer, "observation": "gray84"}
    return gymnasium.make(WORLD, disable_env_checker=True, **kwargs)


def _policy_seed(config: RecordConfig, first: int) -> int:
    return int(np.random.SeedSequence([config.seed, first]).generate_state(1)[0])
