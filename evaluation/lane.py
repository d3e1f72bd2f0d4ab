"""One car of a batch: its world, what it sees, and the log of its lap."""

from typing import Any

import gymnasium
import numpy as np
import pandas as pd
from numpy.typing import NDArray

import drive.carracing  # noqa: F401 - registers the world
from drive.carracing.world import CarRacingWorld
from drive.observation import ObservationSpec
from evaluation.limits import MAX_STEPS, Renderer
from evaluation.metrics.base import STEP_SECONDS
from evaluation.perturbations import CLEAN, Perturbed
from maps import TrackMap
from policies.protocol import ACTIONS, Decision

WORLD = "nsac/CarRacing-v0"


class Lane:
    """Drives and logs one lap, to gymnasium's end of the episode.

    Attributes:
        renderer: Who draws the pictures; ``none`` for a driver that looks at none.
        frame: The latest picture, as the policy is shown it.
        finished: Whether the episode has ended.
    """

    def __init__(
        self,
        track: TrackMap,
        observation: ObservationSpec,
        renderer: Renderer,
        seed: int,
        max_steps: int = MAX_STEPS,
        perturbed: Perturbed = CLEAN,
    ) -> None:
        """Starts a lap.

        Args:
            track: The map.
            observation: What the policy sees; a driver of kind ``world`` looks at no picture.
            renderer: Who draws the pictures.
            seed: Of the world's own generator, and of the perturbation's.
            max_steps: After which the episode ends.
            perturbed: What is changed on this lap.
        """
        sees_world = observation.kind == "world"
        self.renderer: Renderer = "none" if sees_world else renderer
        kwargs: dict[str, Any] = {
            "renderer": self.renderer,
            "observation": "gray84" if sees_world else observation.kind,
            "map": track,
        }
        self._env = gymnasium.make(
            WORLD, max_episode_steps=max_steps, disable_env_checker=True, **kwargs
        )
        self._perturbation = perturbed.of_lap(seed, track.name)
        frame, _ = self._env.reset(seed=seed, options=self._perturbation.reset_options())
        self._perturbation.prepare(self.world)
        self.frame: NDArray[np.uint8] = self._shown(frame)
        self.finished = False
        self._length = self.world.track_geometry.length
        self._half_width = track.half_width
        self._rows: list[dict[str, Any]] = []

    @property
    def world(self) -> CarRacingWorld:
        """The world, for drivers that read it."""
        world = self._env.unwrapped
        assert isinstance(world, CarRacingWorld)
        return world

    def step(self, decision: Decision, car: int, latency_ms: float) -> None:
        """Drives one step and logs the decision and where it led.

        Args:
            decision: Of the whole batch.
            car: Which row of it is this lane's.
            latency_ms: Of the decision, for the whole batch.
        """
        action = self._perturbation.action(np.array(decision.action[car], dtype=np.float32))
        frame, reward, terminated, truncated, info = self._env.step(action)
        self.frame = self._shown(frame)
        self.finished = terminated or truncated
        row = self._state(info)
        row.update(reward=float(reward), terminated=terminated, latency_ms=latency_ms)
        for part in ("action", "mean", "aleatoric", "epistemic"):
            values = action if part == "action" else getattr(decision, part)[car]
            row.update({f"{part}_{name}": values[i] for i, name in enumerate(ACTIONS)})
        row["taken_over"] = decision.taken_over is not None and bool(decision.taken_over[car])
        self._rows.append(row)

    def steps(self, identity: dict[str, Any]) -> pd.DataFrame:
        """The log, one row a step, with the columns of ``identity`` in front."""
        return pd.DataFrame(self._rows).assign(**identity)[[*identity, *self._rows[0]]]

    def close(self) -> None:
        """Lets the world go."""
        self._env.close()

    def _shown(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return frame if self.renderer == "none" else self._perturbation.frame(frame)

    def _state(self, info: dict[str, Any]) -> dict[str, Any]:
        x, y = info["position"]
        step = len(self._rows)
        names = (
            *("heading", "speed", "progress", "lateral_error", "heading_error", "curvature"),
            *("wheels_off_road", "tiles_visited", "tiles_total", "lap_complete"),
        )
        return {
            "step": step,
            "time": (step + 1) * STEP_SECONDS,
            "x": float(x),
            "y": float(y),
            **{name: info[name] for name in names},
            "arc_length": info["progress"] % 1.0 * self._length,
            "half_width": self._half_width,
        }
