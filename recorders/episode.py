"""One recorded episode, and the log it grows from."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Episode:
    """One drive.

    Attributes:
        index: Its number in the data set.
        seed: Seed of the world's reset.
        frames: Single gray frames, uint8 ``(steps + 1, 84, 84)``; the last one has no action.
        actions: The expert's labels, float32 ``(steps, 3)``.
        rewards: ``(steps,)``.
        terminations: Whether the world ended at that step, bool ``(steps,)``.
        truncations: Whether a limit or the recorder ended it at that step, bool ``(steps,)``.
        infos: The true state at each frame, each ``(steps + 1, ...)``, and, of the step that led
            to the frame: ``executed_action`` (zero at the start) and ``learner_drove``.
        metadata: Map, drivers, outcome and result, as JSON values.
    """

    index: int
    seed: int
    frames: NDArray[np.uint8]
    actions: NDArray[np.float32]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    infos: dict[str, NDArray[Any]]
    metadata: dict[str, Any]

    @property
    def steps(self) -> int:
        """How many actions were driven."""
        return len(self.actions)


@dataclass
class EpisodeLog:
    """Grows step by step.

    Attributes:
        frames: Frames so far, the current one last.
        infos: True states so far, the current one last.
        labels: The expert's actions so far.
        rewards: Rewards so far.
    """

    frames: list[NDArray[np.uint8]] = field(default_factory=list)
    infos: list[dict[str, Any]] = field(default_factory=list)
    labels: list[NDArray[np.float32]] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)

    def see(
        self,
        frame: NDArray[np.uint8],
        info: dict[str, Any],
        executed: NDArray[np.float32],
        learner_drove: bool,
    ) -> None:
        """Adds a frame, the state it shows, and what led to it."""
        self.frames.append(np.array(frame).reshape(84, 84))
        self.infos.append({**info, "executed_action": executed, "learner_drove": learner_drove})

    def finish(self, index: int, seed: int, terminated: bool, metadata: dict[str, Any]) -> Episode:
        """The whole episode; where the world did not end it, the recorder did."""
        ends = np.zeros(len(self.labels), dtype=np.bool_)
        ends[-1] = True
        return Episode(
            index=index,
            seed=seed,
            frames=np.stack(self.frames),
            actions=np.stack(self.labels).astype(np.float32),
            rewards=np.array(self.rewards, dtype=np.float64),
            terminations=ends & terminated,
            truncations=ends & (not terminated),
            infos={name: np.array([i[name] for i in self.infos]) for name in self.infos[0]},
            metadata=metadata,
        )
