"""Names of a comparison's drivers: ``METHOD-SEED`` for clones, anything else stands alone."""

import re

_CLONE = re.compile(r"(?P<method>.+)-(?P<seed>\d+)")


def method_of(policy: str) -> str:
    """The method of a clone; the name itself for other drivers."""
    match = _CLONE.fullmatch(policy)
    return match["method"] if match else policy


def seed_of(policy: str) -> int | None:
    """The seed of a clone, or None."""
    match = _CLONE.fullmatch(policy)
    return int(match["seed"]) if match else None
