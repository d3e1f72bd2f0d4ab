"""The selective driver: a learned driver that hands over where it states too much uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from maps.files.one_line_error import did_you_mean
from policies.errors import PolicyError
from policies.foreign.source import options_of
from policies.protocol import ACTIONS, Decision, Policy

Part = Literal["epistemic", "aleatoric", "total", "random"]

PREFIX = "selective:"
"""Begins the spelling of a selective driver."""
STEER = ACTIONS.index("steer")

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Handover:
    """When the supervisor takes the wheel, and when it gives it back.

    Attributes:
        threshold: It takes over at a step whose score is above this.
        part: What the score is: a standard deviation of the steering (``epistemic``, ``aleatoric``
            or ``total``), or a number drawn from [0, 1) at each step, for a control that knows
            nothing.
        hold: Steps it drives at least, of 1/50 s each.
        release: It gives back once the score is at most this share of the threshold; below 1, the
            wheel does not go to and fro around the threshold.
    """

    threshold: float
    part: Part = "epistemic"
    hold: int = 25
    release: float = 0.8

    def __post_init__(self) -> None:
        """Refuses what cannot be."""
        if self.part not in get_args(Part):
            known = get_args(Part)
            guess = did_you_mean(self.part, known)
            raise PolicyError(f"part is {self.part!r}, {guess}expected {', '.join(known)}")
        if not (0.0 <= self.threshold < float("inf")):
            raise PolicyError(f"threshold is {self.threshold:g}, expected 0 or more")
        if self.hold < 1:
            raise PolicyError(f"hold is {self.hold}, expected 1 or more")
        if not 0.0 <= self.release <= 1.0:
            raise PolicyError(f"release is {self.release:g}, expected 0 to 1")

    def score(self, decision: Decision, rng: np.random.Generator) -> FloatArray:
        """What is compared with the threshold, ``(n,)``."""
        if self.part == "random":
            return rng.random(len(decision.action))
        epistemic, aleatoric = (
            getattr(decision, part)[:, STEER].astype(np.float64)
            for part in ("epistemic", "aleatoric")
        )
        scores = {"epistemic": epistemic, "aleatoric": aleatoric}
        return np.asarray(scores.get(self.part, np.hypot(epistemic, aleatoric)))


class SelectiveDriver:
    """Drives as a learned driver does, except where the supervisor has taken over.

    The learned driver decides at every step, also while it is not driving: its mean and its
    uncertainties are those of the decision, and only ``action`` may be the supervisor's.

    Attributes:
        name: The driver's, with the part and its threshold.
        observation: The driver's.

    Args:
        driver: Who drives and states an uncertainty.
        supervisor: Who takes over; reads the worlds and keeps no memory.
        handover: When.
    """

    def __init__(self, driver: Policy, supervisor: Policy, handover: Handover) -> None:
        self.driver = driver
        self.supervisor = supervisor
        self.handover = handover
        self.name = f"{driver.name} {handover.part}>{handover.threshold:.4g}"
        self.observation = driver.observation
        self.reset(0)

    def reset(self, n: int, seed: int = 0) -> None:
        """Prepares for ``n`` new laps, all begun by the driver."""
        self.driver.reset(n, seed)
        self.supervisor.reset(n, seed)
        self._rng = np.random.default_rng([seed, 1])
        self._worlds: Sequence[Any] | None = None
        self._taken = np.zeros(n, dtype=bool)
        self._held = np.zeros(n, dtype=np.int64)

    def watch(self, worlds: Sequence[Any]) -> None:
        """Shows the worlds of the step to come, for the supervisor."""
        self._worlds = worlds

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        """Decides for all cars.

        Raises:
            PolicyError: If the worlds have not been shown since the last decision.
        """
        worlds, self._worlds = self._worlds, None
        if worlds is None:
            raise PolicyError(
                f"{self.name}: {self.supervisor.name} takes over and must see the worlds: "
                "watch(worlds) comes before act(observations)"
            )
        decision = self.driver.act(observations)
        taken = self._hand_over(self.handover.score(decision, self._rng))
        action = decision.action.copy()
        cars = np.flatnonzero(taken).tolist()
        if cars:
            action[cars] = self.supervisor.act([worlds[car] for car in cars]).action
        return Decision(action, decision.mean, decision.aleatoric, decision.epistemic, taken)

    def _hand_over(self, score: FloatArray) -> NDArray[np.bool_]:
        """Which cars the supervisor drives at this step, ``(n,)``."""
        rule = self.handover
        stays = (self._held < rule.hold) | (score > rule.release * rule.threshold)
        self._taken = np.where(self._taken, stays, score > rule.threshold)
        self._held = np.where(self._taken, self._held + 1, 0)
        return self._taken.copy()


def parse(text: str) -> tuple[str, Handover]:
    """Reads ``selective:DRIVER?part=epistemic&threshold=0.05&hold=25&release=0.8``.

    Args:
        text: ``DRIVER`` is what ``policies.load`` takes; only the threshold must be given.

    Returns:
        The driver, and when it hands over.

    Raises:
        PolicyError: An option is missing, unknown, no number or there twice.
    """
    spelled = text.removeprefix(PREFIX)
    driver, query = spelled.rsplit("?", 1) if "?" in spelled else (spelled, "")
    kinds = {field.name: field.type for field in fields(Handover)}
    options: dict[str, Any] = {}
    for name, value in options_of(driver, query).items():
        if name not in kinds:
            guess = did_you_mean(name, kinds)
            raise PolicyError(f"{text}: no option {name!r}, {guess}expected {', '.join(kinds)}")
        read = {"part": str, "hold": int}.get(name, float)
        try:
            options[name] = read(value)
        except ValueError:
            raise PolicyError(f"{text}: {name} is {value!r}, expected a number") from None
    if not driver or "threshold" not in options:
        raise PolicyError(f"{text}: expected {PREFIX}DRIVER?threshold=NUMBER")
    try:
        return driver, Handover(**options)
    except PolicyError as fault:
        raise PolicyError(f"{text}: {fault}") from None


def spell(driver: str, handover: Handover) -> str:
    """The text that ``parse`` reads."""
    options = "&".join(
        f"{field.name}={getattr(handover, field.name)}" for field in fields(handover)
    )
    return f"{PREFIX}{driver}?{options}"
