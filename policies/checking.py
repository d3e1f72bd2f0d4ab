"""Checks what a policy returns, so that a fault is named where it arises."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maps.files.one_line_error import with_kind
from policies.errors import PolicyError
from policies.protocol import CARRACING, ActionSpace, Decision, Policy, Watchful, actions_of

_PARTS = ("action", "mean", "aleatoric", "epistemic")


class CheckedPolicy:
    """A policy whose every decision is checked.

    Args:
        policy: The policy that decides.
        nan_sigma: Whether an uncertainty may be NaN: no lap is lost for it where a person is to see
            that it is.
    """

    def __init__(self, policy: Policy, nan_sigma: bool = False) -> None:
        self.policy = policy
        self.nan_sigma = nan_sigma
        self.name = policy.name
        self.observation = policy.observation

    def reset(self, n: int, seed: int = 0) -> None:
        """Prepares the policy for ``n`` new laps.

        Raises:
            PolicyError: If it fails; in one line.
        """
        with failures(f"{self.name}: reset() failed"):
            self.policy.reset(n, seed)

    def watch(self, worlds: Sequence[Any]) -> None:
        """Shows the worlds to a policy that reads them.

        Raises:
            PolicyError: If it fails; in one line.
        """
        if isinstance(self.policy, Watchful):
            with failures(f"{self.name}: watch() failed"):
                self.policy.watch(worlds)

    def act(self, observations: NDArray[np.uint8] | Sequence[Any]) -> Decision:
        """The policy's decision.

        Raises:
            PolicyError: If it is none, or a part has a wrong shape, type or value.
        """
        decision = self.policy.act(observations)
        space = actions_of(self.observation)
        check_decision(decision, len(observations), self.name, self.nan_sigma, space)
        return decision


@contextmanager
def failures(words: str) -> Iterator[None]:
    """Puts what code of a user raises, which may be anything, in one line.

    Args:
        words: What failed.

    Raises:
        PolicyError: It does.
    """
    try:
        yield
    except PolicyError:
        raise
    except (Exception, SystemExit) as fault:
        raise PolicyError(f"{words}: {with_kind(fault)}") from fault


def checked(policy: Policy, nan_sigma: bool = False) -> Policy:
    """The same policy with every decision checked.

    Args:
        policy: The policy that decides, checked already or not.
        nan_sigma: Whether an uncertainty may be NaN.

    Raises:
        PolicyError: If it does not follow the protocol.
    """
    if not isinstance(policy, Policy):
        raise PolicyError(
            f"{type(policy).__name__} is not a policy: it needs name, observation, reset(n, seed) "
            "and act(observations)"
        )
    if not isinstance(policy, CheckedPolicy):
        return CheckedPolicy(policy, nan_sigma)
    return policy if policy.nan_sigma == nan_sigma else CheckedPolicy(policy.policy, nan_sigma)


def check_decision(
    decision: object,
    n: int,
    name: str,
    nan_sigma: bool = False,
    space: ActionSpace = CARRACING,
) -> None:
    """Refuses a decision that cannot be driven; or, but for ``nan_sigma``, not be scored.

    Raises:
        PolicyError: In one line that names the policy, the part and what would be right.
    """
    if not isinstance(decision, Decision):
        raise PolicyError(
            f"{name}: act() returned {type(decision).__name__}, expected a Decision "
            "(Decision.certain(actions) for a driver without uncertainties)"
        )
    for part in _PARTS:
        _check_part(getattr(decision, part), part, n, name, nan_sigma, space.names)
    _check_taken_over(decision.taken_over, n, name)
    outside = (decision.action < space.low) | (decision.action > space.high)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise PolicyError(
            f"{name}: action {space.names[column]} of car {row} is "
            f"{decision.action[row, column]:g}, "
            f"expected {space.low[column]:g} to {space.high[column]:g}"
        )


def _check_part(
    values: object, part: str, n: int, name: str, nan_sigma: bool, actions: tuple[str, ...]
) -> None:
    expected = f"expected a ({n}, {len(actions)}) float32 array"
    if not isinstance(values, np.ndarray):
        raise PolicyError(f"{name}: {part} is {type(values).__name__}, {expected}")
    if values.shape != (n, len(actions)):
        raise PolicyError(f"{name}: {part} has shape {values.shape}, {expected}")
    if values.dtype != np.float32:
        raise PolicyError(f"{name}: {part} is {values.dtype}, {expected}")
    faulty = ~np.isfinite(values)
    if part in ("aleatoric", "epistemic"):
        faulty = (faulty & ~(nan_sigma & np.isnan(values))) | (values < 0)
    if faulty.any():
        row, column = np.argwhere(faulty)[0]
        raise PolicyError(
            f"{name}: {part} {actions[column]} of car {row} is {values[row, column]:g}"
        )


def _check_taken_over(values: object, n: int, name: str) -> None:
    if values is None:
        return
    if not isinstance(values, np.ndarray) or values.shape != (n,) or values.dtype != np.bool_:
        raise PolicyError(f"{name}: taken_over is not a ({n},) bool array")
