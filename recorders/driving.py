"""Drives the episodes of a batch in lock-step: the expert labels, expert or learner drives."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import policies
from drive.carracing.observations import FrameStack
from drive.carracing.world import ObservationName
from policies.checking import failures
from policies.errors import PolicyError
from policies.protocol import Policy, Watchful
from recorders.config import WORLD, RecordConfig
from recorders.episode import Episode
from recorders.lane import Lane

Environment = gymnasium.Env[NDArray[np.uint8], NDArray[np.float32]]


class Driver:
    """A policy, fed with what it wants to see of a batch of lanes."""

    def __init__(self, name: str, trust: bool = False) -> None:
        """Loads the policy.

        Args:
            name: What ``policies.load`` takes.
            trust: Whether it may run code of its own while it is loaded.

        Raises:
            policies.PolicyError: It is unknown, cannot be loaded, or sees another simulator.
        """
        self._policy: Policy = policies.load(name, trust=trust)
        if self._policy.observation.kind == "camera":
            raise PolicyError(f"{name}: reads camera frames, which CarRacing does not show")
        self._stack = FrameStack(1, 1)

    @property
    def sees_worlds(self) -> bool:
        """Whether it reads the worlds themselves."""
        return self._policy.observation.kind == "world"

    @property
    def sees_colours(self) -> bool:
        """Whether it looks at coloured pictures."""
        return self._policy.observation.kind == "rgb96"

    def reset(self, n: int, seed: int) -> None:
        """Prepares for ``n`` new episodes."""
        self._policy.reset(n, seed)
        spec = self._policy.observation
        self._stack = FrameStack(n, spec.frames, spec.shape[1:])

    def act(self, lanes: Sequence[Lane]) -> NDArray[np.float32]:
        """Actions for all lanes, float32 ``(n, 3)``.

        Raises:
            policies.PolicyError: The policy failed, or returned what cannot be driven.
        """
        worlds = [lane.world for lane in lanes]
        if isinstance(self._policy, Watchful):
            self._policy.watch(worlds)
        seen: Any = worlds
        if not self.sees_worlds:
            pictures = [lane.picture if self.sees_colours else lane.frame for lane in lanes]
            seen = self._stack.push(np.stack(pictures))
        with failures(f"{self._policy.name}: act() failed"):
            return self._policy.act(seen).action


@dataclass(frozen=True)
class Cast:
    """Who takes part in a recording.

    Attributes:
        expert: Labels every state, and drives where the learner does not.
        learner: Drives its segments, or None.
    """

    expert: Driver
    learner: Driver | None

    @classmethod
    def load(cls, config: RecordConfig) -> "Cast":
        """Loads both, and so names a fault before anything is recorded."""
        learner = Driver(config.learner, config.trust) if config.learner else None
        return cls(Driver(config.driver, config.trust), learner)

    def batch_size(self, config: RecordConfig) -> int:
        """Episodes in lock-step: one where no forward pass is shared, so that none waits."""
        return 1 if self.learner is None and self.expert.sees_worlds else config.batch

    @property
    def observation(self) -> ObservationName:
        """What the worlds must show: from a coloured picture follows the gray one."""
        drivers = (self.expert, self.learner)
        return "rgb96" if any(driver and driver.sees_colours for driver in drivers) else "gray84"

    def reset(self, n: int, seed: int) -> None:
        """Prepares both for ``n`` new episodes."""
        for driver in (self.expert, self.learner):
            if driver is not None:
                driver.reset(n, seed)


def drive(
    config: RecordConfig, cast: Cast, episodes: Sequence[int], tracks: Sequence[str]
) -> Generator[Episode, None, None]:
    """Drives the episodes of one batch.

    A lane that has finished keeps showing its last frame, so that what the other lanes see and
    draw does not depend on it.

    Args:
        config: What to record.
        cast: Who drives and who labels.
        episodes: Numbers of the episodes.
        tracks: Their maps.

    Yields:
        Each episode as soon as it ends.
    """
    lanes = [
        Lane(_environment(slot, config.renderer, cast.observation), config, index, track)
        for slot, (index, track) in enumerate(zip(episodes, tracks, strict=True))
    ]
    seed = np.random.SeedSequence([config.seed, episodes[0]]).generate_state(1)[0]
    cast.reset(len(lanes), int(seed))
    driving = set(range(len(lanes)))
    while driving:
        labels = cast.expert.act(lanes)
        proposals = cast.learner.act(lanes) if cast.learner else None
        for i in sorted(driving):
            lanes[i].step(labels[i], None if proposals is None else proposals[i])
            if lanes[i].outcome:
                driving.remove(i)
                yield lanes[i].episode()


@lru_cache(maxsize=64)
def _environment(
    slot: int,  # noqa: ARG001 - one world a slot
    renderer: str,
    observation: ObservationName,
) -> Environment:
    kwargs: dict[str, Any] = {"renderer": renderer, "observation": observation}
    return gymnasium.make(WORLD, disable_env_checker=True, **kwargs)
