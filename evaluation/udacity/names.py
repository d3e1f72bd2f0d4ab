"""How tables and figures of the stand-in call the policies, and in which order and colour."""

import pandas as pd

from evaluation.comparison.entrants import method_of
from nsac_core.benchmarks.contenders import order, title
from nsac_core.benchmarks.figures import COLOURS


def titles(frame: pd.DataFrame) -> dict[str, str]:
    """What to call each policy, in the order of tables: its method where that tells it apart.

    Args:
        frame: With the column ``policy``: ``nsac`` or ``nsac-42`` for models of a method.
    """
    names = sorted(map(str, frame["policy"].unique()), key=lambda name: order(method_of(name)))
    methods = [method_of(name) for name in names]
    return {
        name: title(method) if methods.count(method) == 1 else name
        for name, method in zip(names, methods, strict=True)
    }


def colour_of(policy: str) -> str:
    """That of the policy's method, or gray."""
    return COLOURS.get(method_of(policy), "0.45")
