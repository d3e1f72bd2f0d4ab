"""One car of a batch: what it sees, who drives it, when its episode ends."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import maps
from drive.carracing.observations import warp_frame
from drive.carracing.world import CarRacingWorld
from policies.protocol import ACTIONS
from recorders.config import RecordConfig
from recorders.disturbance import DisturbanceProcess, disturb
from recorders.episode import Episode, EpisodeLog

LEAST_PROGRESS = 0.002
"""Laps; a car that gains less during ``stalled_steps`` has stalled (2 units of about 1000)."""


class Lane:
    """Drives and logs one episode.

    Attributes:
        picture: What the world shows, gray or coloured.
        outcome: Why the episode ended: ``lap`` complete, ``playfield`` left (or the world's other
            ends), ``time`` over, ``lost`` off the road, ``stalled``, or ``ended`` by the person who
            drives; empty while it goes on.
    """

    def __init__(
        self,
        env: "gymnasium.Env[NDArray[np.uint8], NDArray[np.float32]]",
        config: RecordConfig,
        index: int,
        track: str,
    ) -> None:
        self._env = env
        self._config = config
        self._index = index
        self._track = track
        self._start()

    def _start(self) -> None:
        """Begins the episode, and whatever is drawn at random in it."""
        self.outcome = ""
        self._rng = np.random.default_rng([self._config.seed, self._index])
        self._disturbance = DisturbanceProcess(self._config.disturbance, self._rng.spawn(1)[0])
        self._learner_drives = False
        self._terminated = False
        self._steps_off_road = 0
        self._best = (0.0, 0)
        self._log = EpisodeLog()
        self._seed = self._reset()

    @property
    def world(self) -> CarRacingWorld:
        """The world, for drivers that read it."""
        world = self._env.unwrapped
        assert isinstance(world, CarRacingWorld)
        return world

    @property
    def frame(self) -> NDArray[np.uint8]:
        """The current frame, ``(84, 84)``."""
        return self._log.frames[-1]

    @property
    def steps(self) -> int:
        """Steps driven so far."""
        return len(self._log.labels)

    @property
    def info(self) -> dict[str, Any]:
        """The truth about the current frame, and the action that led to it."""
        return self._log.infos[-1]

    def rewind(self, steps: int) -> None:
        """Puts the world, and the recording, back to what they were after so many steps.

        Box2D's state can be read in part only, but it follows from the reset and the actions to
        the last bit: the labels are driven again. Only where no learner drives.
        """
        labels = self._log.labels[:steps]
        self._start()
        for label in labels:
            self.step(label, None)

    def step(self, label: NDArray[np.float32], proposal: NDArray[np.float32] | None) -> None:
        """Drives one step.

        Args:
            label: The expert's action, ``(3,)``.
            proposal: The learner's action, ``(3,)``; None where there is no learner.
        """
        if proposal is not None and self.steps % self._config.segment == 0:
            self._learner_drives = bool(self._rng.random() < self._config.learner_share)
        added = self._disturbance.step()
        if proposal is not None and self._learner_drives:
            executed = proposal
        else:
            executed = disturb(label, added)
        self.picture, reward, terminated, truncated, info = self._env.step(executed)
        self._log.labels.append(np.array(label, dtype=np.float32))
        self._log.rewards.append(float(reward))
        self._log.see(self._gray(), info, executed, self._learner_drives)
        self._terminated = terminated
        self.outcome = self._end(terminated, truncated, info)

    def episode(self) -> Episode:
        """The finished episode."""
        config = self._config
        last = self._log.infos[-1]
        metadata = {
            "map": self._track,
            "driver": config.driver,
            "learner": config.learner,
            "learner_share": config.learner_share if config.learner else 0.0,
            "renderer": config.renderer,
            "outcome": self.outcome,
            "return": float(sum(self._log.rewards)),
            "progress": float(last["progress"]),
            "lap_complete": bool(last["lap_complete"]),
        }
        return self._log.finish(self._index, self._seed, self._terminated, metadata)

    def _gray(self) -> NDArray[np.uint8]:
        """The picture as a recording holds it."""
        coloured = self.picture.shape[-1] == 3
        return warp_frame(self.picture) if coloured else self.picture

    def _reset(self) -> int:
        """Starts the episode; the world of a gymnasium seed needs no map of its own."""
        number = self._track.removeprefix("seed:")
        seeded = number.isdecimal() and number != self._track
        self.world.track_map = None if seeded else maps.load(self._track)
        seed = int(number) if seeded else self._config.first_seed + self._index
        self.picture, info = self._env.reset(seed=seed)
        self._log.see(self._gray(), info, np.zeros(len(ACTIONS), dtype=np.float32), False)
        return seed

    def _end(self, terminated: bool, truncated: bool, info: dict[str, Any]) -> str:
        steps = self.steps
        self._steps_off_road = self._steps_off_road + 1 if info["wheels_off_road"] == 4 else 0
        if info["progress"] > self._best[0] + LEAST_PROGRESS:
            self._best = (info["progress"], steps)
        if info["lap_complete"]:
            return "lap"
        if terminated:
            return "playfield"
        if truncated or steps >= self._config.limit:
            return "time"
        if self._steps_off_road >= self._config.lost_steps:
            return "lost"
        return "stalled" if steps - self._best[1] >= self._config.stalled_steps else ""
