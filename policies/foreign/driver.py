"""A policy around a network that was made elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maps.files.one_line_error import with_kind
from policies.checking import check_decision
from policies.errors import PolicyError
from policies.foreign.layout import Layout
from policies.protocol import Decision, actions_of

PARTS = ("action", "mean", "aleatoric", "epistemic")
"""What a network may give, by these names; of the last two the standard deviations."""


class Network(Protocol):
    """What is loaded from a file.

    Attributes:
        layout: What it takes.
        batches: Whether it takes any number of observations at once, not just one.
    """

    layout: Layout
    batches: bool

    def __call__(self, observations: NDArray[np.uint8]) -> Mapping[str, NDArray[Any]]:
        """Gives ``action`` or ``mean``, and any of ``PARTS``, ``(n, actions)`` each.

        Args:
            observations: ``(n, *layout.shape)``.
        """


class ForeignDriver:
    """Drives as a network says; keeps no memory and rolls no dice.

    Args:
        name: How tables call it.
        network: Who decides; all cars in one forward pass, if it takes batches.
    """

    def __init__(self, name: str, network: Network) -> None:
        self.name = name
        self.observation = network.layout.observation
        self._network = network

    def reset(self, n: int, seed: int = 0) -> None:
        """There is nothing to forget."""

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        """Decides for all cars; ``action`` is clipped to the world's limits.

        Raises:
            PolicyError: The network fails; in one line.
        """
        try:
            return self._decide(np.asarray(observations))
        except PolicyError:
            raise
        except (Exception, SystemExit) as fault:  # a network may raise anything
            raise PolicyError(
                f"{self.name}: cannot decide on {len(observations)} observations at once: "
                f"{with_kind(fault)}"
            ) from None

    def _decide(self, observations: NDArray[np.uint8]) -> Decision:
        given = self._network.layout.arrange(observations)
        if self._network.batches:
            return _decision(self._network(given))
        rows = [self._network(given[car : car + 1]) for car in range(len(given))]
        return _decision({name: np.concatenate([row[name] for row in rows]) for name in rows[0]})


def try_out(driver: ForeignDriver) -> None:
    """Has black pictures decided on, so that faults show before anything is driven.

    Those of three cars, and of one: a network may have been traced for a certain number.

    Raises:
        PolicyError: The network fails, or gives what cannot be driven; in one line.
    """
    for cars in (3, 1):
        decision = driver.act(np.zeros((cars, *driver.observation.shape), dtype=np.uint8))
        check_decision(decision, cars, driver.name, space=actions_of(driver.observation))


def chosen_outputs(names: Sequence[str]) -> dict[str, str]:
    """Which output gives which of ``PARTS``: the only one is the action, else names tell.

    Raises:
        PolicyError: None of several is called ``action`` or ``mean``.
    """
    if len(names) == 1:
        return {"action": names[0]}
    if not {"action", "mean"} & set(names):
        raise PolicyError(f"gives {', '.join(names)}: expected one output, or one called action")
    return {part: part for part in PARTS if part in names}


def _decision(given: Mapping[str, NDArray[Any]]) -> Decision:
    parts = {name: np.asarray(values, dtype=np.float32) for name, values in given.items()}
    certain = Decision.certain(parts["action" if "action" in parts else "mean"])
    return Decision(
        certain.action,
        parts.get("mean", certain.mean),
        parts.get("aleatoric", certain.aleatoric),
        parts.get("epistemic", certain.epistemic),
    )
