"""How many laps it takes to tell two policies apart by a share of laps, such as success."""

import math

from scipy import stats

from evaluation.confidence import CONFIDENCE
from evaluation.errors import EvaluationError
from evaluation.sample_size_config import POWER, LapsNeededConfig


def laps_needed(
    first: float,
    second: float,
    power: float = POWER,
    confidence: float = CONFIDENCE,
    correlation: float | None = None,
) -> int:
    """Laps of each policy by which two shares are told apart, two-sided.

    Independent laps (Fleiss, Levin and Paik 2003, without continuity correction), with
    ``z(q)`` the normal quantile, ``a = 1 - (1 - confidence) / 2``, ``p`` the mean of the shares::

        n = (z(a) sqrt(2 p (1 - p)) + z(power) sqrt(p1 (1 - p1) + p2 (1 - p2)))^2 / (p1 - p2)^2

    The same laps for both (McNemar's test; Connor 1987), with ``d`` the share of laps on which one
    succeeds and the other fails::

        n = (z(a) sqrt(d) + z(power) sqrt(d - (p1 - p2)^2))^2 / (p1 - p2)^2

    Args:
        first: Share of the one policy.
        second: Share of the other.
        power: Chance of finding the difference.
        confidence: Of the test.
        correlation: Of the two outcomes of a lap, where both drive the same laps; None where they
            drive laps of their own.

    Raises:
        EvaluationError: A number cannot be, or the shares are equal.
    """
    for name, value in (("share", first), ("share", second)):
        if not 0 <= value <= 1:
            raise EvaluationError(f"{name} is {value:g}, expected 0 to 1")
    for name, value in (("power", power), ("confidence", confidence)):
        if not 0 < value < 1:
            raise EvaluationError(f"{name} is {value:g}, expected between 0 and 1")
    if first == second:
        raise EvaluationError("the shares are equal: no number of laps tells them apart")
    alpha, beta = (float(stats.norm.ppf(q)) for q in (0.5 + confidence / 2, power))
    variance = first * (1 - first) + second * (1 - second)
    gap = (first - second) ** 2
    if correlation is None:
        mean = (first + second) / 2
        root = alpha * math.sqrt(2 * mean * (1 - mean)) + beta * math.sqrt(variance)
    else:
        discordant = _discordant(first, second, correlation)
        root = alpha * math.sqrt(discordant) + beta * math.sqrt(discordant - gap)
    return max(1, math.ceil(root**2 / gap))


def answer(config: LapsNeededConfig) -> str:
    """What the command says: laps of independent, and of paired policies.

    Raises:
        EvaluationError: A number cannot be.
    """
    chances = (config.power, config.confidence)
    alone = laps_needed(config.first, config.second, *chances)
    together = laps_needed(config.first, config.second, *chances, config.correlation)
    return (
        f"To tell {100 * config.first:g} % from {100 * config.second:g} % with a chance of "
        f"{100 * config.power:g} % at {100 * config.confidence:g} % confidence:\n"
        f"{alone:>7} laps of each policy, where they drive different laps\n"
        f"{together:>7} laps of each policy, where they drive the same laps "
        f"(outcomes correlated by {config.correlation:g})"
    )


def _discordant(first: float, second: float, correlation: float) -> float:
    """Share of laps on which one policy succeeds and the other fails."""
    spread = math.sqrt(first * (1 - first) * second * (1 - second))
    both = first * second + correlation * spread
    if not max(0.0, first + second - 1) - 1e-12 <= both <= min(first, second) + 1e-12:
        raise EvaluationError(
            f"correlation is {correlation:g}, which shares of {first:g} and {second:g} cannot have"
        )
    return max(first + second - 2 * both, (first - second) ** 2)
