"""What a perturbation of a lap is: hooks that change what is seen, driven or obeyed."""

import zlib
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from drive.carracing.world import CarRacingWorld

Frame = NDArray[np.uint8]
Action = NDArray[np.float32]
Group = Literal["colours", "extension", "sensing", "actuation", "dynamics"]

SEVERITIES = (1, 2, 3, 4, 5)
"""How severe a perturbation may be; 5 is the most."""

DEFAULT_SEVERITY = 3


class Perturbation:
    """A perturbation of one lap; this one changes nothing.

    Every hook may be left as it is. Whatever is random comes from ``rng`` in an order that does not
    depend on the severity, so that the severities of one lap differ in strength alone.

    Attributes:
        name: How it is asked for, and what the column ``perturbation`` says.
        group: What it belongs to.
        changes: What it does, in words for the guide; ``{}`` stands for the level.
        levels: Strength at severities 1 to 5; empty where there are no grades.
        per_run: Whether all laps of a seed share one draw; each map has its own otherwise.
        severity: Of this lap.
        level: Strength of this lap; 0 where there are no grades.
        rng: Of this lap.
    """

    name: ClassVar[str] = "none"
    group: ClassVar[Group]
    changes: ClassVar[str] = ""
    levels: ClassVar[tuple[float, ...]] = ()
    per_run: ClassVar[bool] = False

    def __init__(self, severity: int, rng: np.random.Generator) -> None:
        self.severity = severity
        self.rng = rng
        self.level = self.levels[severity - 1] if self.levels else 0.0

    def reset_options(self) -> dict[str, Any]:
        """Options of the world's ``reset``: ``colours``, ``scenery``."""
        return {}

    def prepare(self, world: CarRacingWorld) -> None:
        """Changes the world after its reset, before the first step."""

    def frame(self, frame: Frame) -> Frame:
        """What the policy is shown in place of a picture; never the picture itself, changed.

        Called for every picture once, in order, from that of the reset on.

        Args:
            frame: ``(84, 84)`` or ``(84, 84, 1)`` gray, ``(96, 96, 3)``, or ``(160, 320, 3)`` of
                the Udacity simulator; uint8.

        Returns:
            A picture of the same shape.
        """
        return frame

    def action(self, action: Action) -> Action:
        """What the car is told in place of the policy's action, within the same limits.

        Args:
            action: Steer, gas, brake, float32 ``(3,)``.
        """
        return action


PERTURBATIONS: dict[str, type[Perturbation]] = {}
"""All perturbations by name."""


def register(perturbation: type[Perturbation]) -> type[Perturbation]:
    """Adds a perturbation to the registry.

    Raises:
        ValueError: If there is one of that name, or it has not a level for each severity.
    """
    if perturbation.name in PERTURBATIONS or perturbation.name == Perturbation.name:
        raise ValueError(f"two perturbations are called {perturbation.name!r}")
    if len(perturbation.levels) not in (0, len(SEVERITIES)):
        raise ValueError(f"{perturbation.name} has {len(perturbation.levels)} levels, expected 5")
    PERTURBATIONS[perturbation.name] = perturbation
    return perturbation


def generator(name: str, seed: int, track: str | None = None) -> np.random.Generator:
    """The generator of a lap's perturbation: the same for every policy, severity and batch.

    Args:
        name: Of the perturbation.
        seed: Of the run.
        track: Name of the lap's map; None for what all laps of the run share.
    """
    words = [seed, zlib.crc32(name.encode())]
    words += [] if track is None else [zlib.crc32(track.encode())]
    return np.random.default_rng(np.random.SeedSequence(words))
