"""The world that a PPO worker learns in: held actions, mirror, replay of failed tracks."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import drive.carracing  # noqa: F401 - registers the world
from drive.carracing.observations import FrameStack
from policies.augmentation import mirror
from policies.ppo.config import LAST_SEED, WorldConfig
from policies.ppo.driver import controls

Stack = NDArray[np.uint8]
MOST_FAILED = 64
"""Failed tracks that a worker remembers; the oldest is forgotten first."""


class TrainingWorld(gymnasium.Env[Stack, NDArray[np.float32]]):
    """CarRacing on tracks of its own choice.

    Observations are the last four frames, ``(4, 84, 84)`` uint8, as policies see them; actions are
    [steer, pedal] in [-1, 1], held for some frames. A finished lap counts as truncated, so that the
    value of driving on is bootstrapped: to finish is no loss. At the end of an
    episode ``info["episode"]`` holds the true return ``r``, the decisions ``l``, and whether the
    lap was complete, ``lap``.

    Attributes:
        failed: Seeds of tracks that it failed on and has not mastered since.
        track_seed: Seed of the current track.
        mirrored: Whether picture and steering are mirrored.
    """

    observation_space = spaces.Box(0, 255, (4, 84, 84), np.uint8)
    action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(
        self, config: WorldConfig, rng: np.random.Generator, *, mirrored: bool = False
    ) -> None:
        """Builds the world.

        Args:
            config: Of the worlds.
            rng: Draws the tracks.
            mirrored: Whether this world is mirrored.
        """
        self.config = config
        self.mirrored = mirrored
        self.failed: list[int] = []
        self.track_seed = -1
        self._rng = rng
        kwargs: dict[str, Any] = {"renderer": "fast", "observation": "gray84"}
        self._env = gymnasium.make("nsac/CarRacing-v0", disable_env_checker=True, **kwargs)
        self._stack = FrameStack(1, 4)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Stack, dict[str, Any]]:
        """Starts a lap on a failed or a new track.

        Args:
            seed: Draws the tracks from now on.
            options: ``track_seed``: the track, in place of a drawn one.
        """
        if seed is not None:
            self._rng = np.random.default_rng([seed, int(self.mirrored)])
        chosen = (options or {}).get("track_seed")
        self.track_seed = self._draw_track() if chosen is None else int(chosen)
        frame, info = self._env.reset(seed=self.track_seed)
        self._stack.reset()
        self._return, self._decisions, self._off_road, self._stalled = 0.0, 0, 0, 0
        self._tiles = info["tiles_visited"]
        return self._see(frame), {}

    def step(self, action: NDArray[np.float32]) -> tuple[Stack, float, bool, bool, dict[str, Any]]:
        """Holds an action for ``config.repeat`` frames, or until the episode ends."""
        steered = controls(action)
        if self.mirrored:
            steered[0] = -steered[0]
        shaped, terminated, truncated = 0.0, False, False
        info: dict[str, Any] = {}
        for _ in range(self.config.repeat):
            frame, reward, ended, over, info = self._env.step(steered)
            stack = self._see(frame)
            self._return += float(reward)
            shaped += float(reward) + self._shaping(info)
            lap = info["lap_complete"] or info["tiles_visited"] == info["tiles_total"]
            terminated = not lap and (ended or self._is_lost(info))
            truncated = bool(lap or over)
            if terminated or truncated:
                break
        self._decisions += 1
        told = self._finish(info) if terminated or truncated else {}
        return stack, shaped * self.config.reward_scale, terminated, truncated, told

    def remember(self, failed: list[int]) -> None:
        """Takes over the failed tracks of an interrupted training."""
        self.failed = list(failed)

    def close(self) -> None:
        """Closes the world."""
        self._env.close()

    def _draw_track(self) -> int:
        if self.failed and self._rng.random() < self.config.replay:
            return self.failed[int(self._rng.integers(len(self.failed)))]
        return int(self._rng.integers(self.config.first_seed, LAST_SEED))

    def _see(self, frame: Stack) -> Stack:
        newest = np.array(frame).reshape(1, 84, 84)
        if self.mirrored:
            mirror(newest)
        stack: Stack = self._stack.push(newest)[0]
        return stack

    def _shaping(self, info: dict[str, Any]) -> float:
        config = self.config
        off_road = config.off_road_penalty if info["wheels_off_road"] >= 3 else 0.0
        speed = min(info["speed"], config.bonus_to) - config.bonus_from
        return float(config.speed_bonus * speed - off_road)

    def _is_lost(self, info: dict[str, Any]) -> bool:
        self._off_road = self._off_road + 1 if info["wheels_off_road"] == 4 else 0
        self._stalled = 0 if info["tiles_visited"] > self._tiles else self._stalled + 1
        self._tiles = info["tiles_visited"]
        config = self.config
        return self._off_road >= config.lost_frames or self._stalled >= config.stalled_frames

    def _finish(self, info: dict[str, Any]) -> dict[str, Any]:
        """Remembers a failed track, forgets a mastered one, and tells how the lap went."""
        lap = bool(info["lap_complete"])
        if self.track_seed in self.failed:
            self.failed.remove(self.track_seed)
        if not lap:
            self.failed = [*self.failed, self.track_seed][-MOST_FAILED:]
        return {"episode": {"r": self._return, "l": self._decisions, "t": 0.0, "lap": lap}}
