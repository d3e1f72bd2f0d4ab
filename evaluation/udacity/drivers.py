"""Who drives the stand-in, by what loads it."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

import policies
from drive.udacity.frame_shape import FRAME_SHAPE, Frame
from drive.udacity.pilot import Driver
from drive.udacity.protocol import Command, Telemetry
from drive.udacity.simulator import Simulator
from drive.udacity.simulator.scripted import ScriptedDriver
from drive.udacity.simulator.scripted_config import ScriptedConfig
from evaluation.errors import EvaluationError
from evaluation.identity import Entrant, digest_of
from evaluation.udacity.driver import PolicyDriver
from policies import Policy

SCRIPTED = "scripted"
"""Name of the driver that knows the road; it marks what can be reached, and is no rival."""


class Unseen(Simulator):
    """The stand-in for a driver that looks at no picture: none is drawn."""

    def frame(self) -> Frame:
        """Black."""
        return np.zeros(FRAME_SHAPE, dtype=np.uint8)


class Scripted:
    """The stand-in's own driver, of its state and not of its picture."""

    def __init__(self, simulator: Simulator, speed: float) -> None:
        self._simulator = simulator
        self._driver = ScriptedDriver(simulator.track, ScriptedConfig(speed=speed))

    def reset(self) -> None:
        """It remembers nothing."""

    def drive(self, frame: Frame, telemetry: Telemetry) -> Command:  # noqa: ARG002
        """Pure pursuit of the centre line."""
        return Command(*self._driver.drive(self._simulator.state))


def entrants(sources: Sequence[str], trust: bool = False) -> list[Entrant]:
    """Loads every policy once, so that a fault is named before anything is driven.

    Policies of one name are called by what loads them.

    Args:
        sources: What ``policies.load`` takes, or ``SCRIPTED``.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.

    Raises:
        PolicyError: One cannot be loaded, or does not read camera frames.
    """
    loaded = {
        source: None if source == SCRIPTED else policies.load(source, trust=trust)
        for source in sources
    }
    names = {
        source: SCRIPTED if policy is None else PolicyDriver(policy).policy.name
        for source, policy in loaded.items()
    }
    times = Counter(names.values())
    return [
        Entrant(
            names[source] if times[names[source]] == 1 else source,
            source,
            SCRIPTED if policy is None else digest_of(source, policy),
            trust,
        )
        for source, policy in loaded.items()
    ]


def driver_of(entrant: Entrant, simulator: Simulator, speed: float, seed: int) -> Driver:
    """Makes an entrant a driver.

    Args:
        entrant: As it was found.
        simulator: What it drives.
        speed: To keep, mph.
        seed: Of the policy.

    Raises:
        EvaluationError: The policy has been changed since.
        PolicyError: It cannot be loaded any more.
    """
    if entrant.source == SCRIPTED:
        return Scripted(simulator, speed)
    return PolicyDriver(_policy(entrant), speed, seed)


@lru_cache(maxsize=2)
def _policy(entrant: Entrant) -> Policy:
    policy = entrant.load()
    if digest_of(entrant.source, policy) != entrant.sha256:
        raise EvaluationError(f"{entrant.source}: was changed while it was evaluated")
    return policy
