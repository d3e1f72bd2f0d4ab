"""Checks of options, so that a wrong one is named where it is given, in one line."""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TypeGuard


def check_counts(least: int = 1, **counts: object) -> None:
    """Refuses what is no whole number from ``least`` on.

    Raises:
        ValueError: It names the option.
    """
    for name, count in counts.items():
        if not isinstance(count, Integral) or isinstance(count, bool):
            raise ValueError(f"{name} must be a whole number, got {count!r}")
        if count < least:
            raise ValueError(f"{name} must be at least {least}, got {count}")


def check_numbers(low: float = 0.0, high: float = math.inf, **numbers: object) -> None:
    """Refuses what is no finite number from ``low`` to ``high``.

    Raises:
        ValueError: It names the option.
    """
    endless = math.isinf(high)
    limits = f"be a finite number from {low:g}" if endless else f"lie in [{low:g}, {high:g}]"
    for name, number in numbers.items():
        value = float(number) if _is_number(number) else math.nan
        if not low <= value <= high or math.isinf(value):
            raise ValueError(f"{name} must {limits}, got {number!r}")


def _is_number(number: object) -> TypeGuard[Real]:
    return isinstance(number, Real) and not isinstance(number, bool)


def check_choices(known: Iterable[str], **choices: object) -> None:
    """Refuses what is none of the names.

    Raises:
        ValueError: It names the option and what there is.
    """
    names = list(known)
    for name, choice in choices.items():
        if choice not in names:
            raise ValueError(f"{name} must be one of {', '.join(names)}, got {choice!r}")


def check_flags(**flags: object) -> None:
    """Refuses what is neither True nor False.

    Raises:
        ValueError: It names the option.
    """
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name} must be True or False, got {flag!r}")
