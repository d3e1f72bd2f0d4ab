"""Drives the expert on tracks that it is selected by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

import drive.carracing  # noqa: F401 - registers the world
from drive.carracing.observations import Frames, FrameStack
from policies.protocol import Policy

LANES = 20


@dataclass(frozen=True)
class Laps:
    """Laps of a policy, one entry a track.

    Attributes:
        returns: True returns.
        completed: Whether the lap was complete.
        frames: How long the episode lasted.
    """

    returns: tuple[float, ...]
    completed: tuple[bool, ...]
    frames: tuple[int, ...]

    def summary(self) -> dict[str, float]:
        """Mean, median, worst decile and least return, share of laps, mean frames."""
        ranked = np.sort(self.returns)
        return {
            "mean": float(ranked.mean()),
            "median": float(np.median(ranked)),
            "worst_decile": float(ranked[: max(len(ranked) // 10, 1)].mean()),
            "least": float(ranked[0]),
            "completed": float(np.mean(self.completed)),
            "frames": float(np.mean(self.frames)),
        }


class ValidationTracks:
    """Worlds that are kept from one validation to the next, driven in lock-step.

    Args:
        seeds: Of the tracks.
        renderer: ``fast`` or ``exact``.
    """

    def __init__(self, seeds: Sequence[int], renderer: str = "fast") -> None:
        self.seeds = list(seeds)
        kwargs: dict[str, Any] = {"renderer": renderer, "observation": "gray84"}
        self._worlds = [
            gymnasium.make("nsac/CarRacing-v0", disable_env_checker=True, **kwargs)
            for _ in self.seeds[:LANES]
        ]

    def drive(self, policy: Policy) -> Laps:
        """Drives one lap on each track, to gymnasium's end of the episode."""
        laps: list[tuple[float, bool, int]] = []
        for first in range(0, len(self.seeds), LANES):
            laps += self._drive_chunk(policy, self.seeds[first : first + LANES])
        returns, completed, frames = zip(*laps, strict=True)
        return Laps(returns, completed, frames)

    def close(self) -> None:
        """Closes the worlds."""
        for world in self._worlds:
            world.close()

    def _drive_chunk(self, policy: Policy, seeds: Sequence[int]) -> list[tuple[float, bool, int]]:
        """Drives the lanes; one that has ended keeps showing its last picture."""
        n = len(seeds)
        pictures: Frames = np.empty((n, 84, 84), dtype=np.uint8)
        for i, seed in enumerate(seeds):
            pictures[i] = self._worlds[i].reset(seed=seed)[0][..., 0]
        policy.reset(n)
        stack = FrameStack(n, policy.observation.frames)
        returns, completed, frames = np.zeros(n), np.zeros(n, dtype=bool), np.zeros(n, dtype=int)
        driving = list(range(n))
        while driving:
            actions = policy.act(stack.push(pictures)).action
            for i in list(driving):
                picture, reward, ended, over, info = self._worlds[i].step(actions[i])
                pictures[i] = picture[..., 0]
                returns[i] += float(reward)
                frames[i] += 1
                completed[i] = info["lap_complete"]
                if ended or over:
                    driving.remove(i)
        return [
            (float(r), bool(c), int(f)) for r, c, f in zip(returns, completed, frames, strict=True)
        ]
