"""What a drive of the stand-in is made harder by: late commands, or a perturbation."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from drive.udacity.protocol import Command
from evaluation.errors import EvaluationError
from evaluation.perturbations import CLEAN, Perturbation, Perturbed, parse

TICK_MS = 20
"""Of the simulator's physics: latencies are whole numbers of these."""

APPLICABLE = (
    *("blur", "brightness", "contrast", "frame-drop", "noise", "occlusion"),
    *("steering-bias", "steering-noise"),
)
"""Perturbations that mean the same here; the others recolour CarRacing, or count its steps."""


@dataclass(frozen=True)
class Condition:
    """What holds on a drive.

    Attributes:
        late_ms: From a frame to the moment at which its command takes effect.
        perturbed: What is done to the frames or to the steering.
    """

    late_ms: int = 0
    perturbed: Perturbed = CLEAN

    def __str__(self) -> str:
        return f"{self.late_ms} ms late" if self.late_ms else str(self.perturbed)

    @property
    def is_clean(self) -> bool:
        """Whether nothing is changed."""
        return self == Condition()


def conditions(latencies: Sequence[int], perturbations: Sequence[str]) -> list[Condition]:
    """Nothing changed, then each latency, then each perturbation by itself.

    Args:
        latencies: Milliseconds.
        perturbations: As in ``--perturb``: ``noise``, ``noise:2``, ``noise:1-5``.

    Raises:
        EvaluationError: There is no such perturbation here, or a latency cannot be.
    """
    for latency in latencies:
        if latency < 0 or latency % TICK_MS:
            raise EvaluationError(
                f"latency is {latency} ms, expected a multiple of {TICK_MS}, 0 or more"
            )
    perturbed = parse(",".join(perturbations))
    for one in perturbed:
        if one != CLEAN and one.name not in APPLICABLE:
            raise EvaluationError(
                f"perturbation {one.name} is of CarRacing, expected one of {', '.join(APPLICABLE)}"
            )
    late = [Condition(latency) for latency in latencies]
    return list(dict.fromkeys([Condition(), *late, *(Condition(0, one) for one in perturbed)]))


class Late:
    """Commands that take effect some ticks after they were given; before the first, none does."""

    def __init__(self, late_ms: int) -> None:
        self._ticks = late_ms // TICK_MS
        self._coming: deque[tuple[int, Command]] = deque()
        self._now = 0
        self._latched = Command(0.0, 0.0)

    def give(self, command: Command) -> None:
        """Is given a command now."""
        self._coming.append((self._now + self._ticks, command))

    def tick(self) -> Command:
        """What holds for the tick that begins now."""
        while self._coming and self._coming[0][0] <= self._now:
            self._latched = self._coming.popleft()[1]
        self._now += 1
        return self._latched


def perturbed_command(perturbation: Perturbation, command: Command) -> Command:
    """What the car is told in place of a command; the throttle goes through as gas or brake."""
    gas, brake = max(command.throttle, 0.0), max(-command.throttle, 0.0)
    action = np.array([command.steering, gas, brake], dtype=np.float32)
    if (told := perturbation.action(action)) is action:
        return command
    return Command(float(told[0]), float(told[1] - told[2]))
