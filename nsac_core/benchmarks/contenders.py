"""What a benchmark compares: the uncertainty methods, variants of NSAC, and the references."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.references import REFERENCES
from nsac_core.method_names import find_fault
from nsac_core.methods import METHODS
from nsac_core.methods.nsac import LAMBDA_REG

TITLES = {
    "nsac": "NSAC",
    "gmle": "GMLE",
    "deep_ensemble": "deep ensemble",
    "mc_dropout": "MC dropout",
    "evidential": "evidential",
    "sde_net": "SDE-Net",
}
_COSTS = {"nsac": 2.0, "deep_ensemble": 3.0}
"""Of an epoch, relative to a simple method's."""


@dataclass(frozen=True)
class Contender:
    """A method with its options, or a reference.

    Attributes:
        name: Unique; names its files.
        method: Key of ``METHODS``, or None for a reference.
        options: Of the method.
        cost: About how long an epoch takes, relative to a simple method's.
    """

    name: str
    method: str | None
    options: dict[str, Any] = field(default_factory=dict)
    cost: float = 1.0


def contenders(
    methods: Sequence[str],
    lambdas: Sequence[float],
    references: Sequence[str] = tuple(REFERENCES),
) -> list[Contender]:
    """The contenders of a run.

    Args:
        methods: Keys of ``METHODS`` and names of references; ``all`` stands for every one.
        lambdas: Weights of the regulariser to try NSAC with besides its own, where it takes part.
        references: Keys of ``REFERENCES`` that there are in this run.

    Raises:
        BenchmarkError: If there is no such method.
    """
    known = (*METHODS, *references)
    fault = find_fault(methods, known)
    if fault:
        raise BenchmarkError(fault)
    chosen = known if "all" in methods else [name for name in known if name in methods]
    found = [_contender(name) for name in chosen]
    if "nsac" in chosen:
        others = [weight for weight in dict.fromkeys(lambdas) if weight != LAMBDA_REG]
        found += [nsac_with(weight) for weight in others]
    return found


def nsac_with(weight: float) -> Contender:
    """NSAC with another weight of its regulariser."""
    cost = _COSTS["nsac"] if weight else 1.0
    return Contender(f"nsac_lambda_{weight:g}", "nsac", {"lambda_reg": weight}, cost)


def title(name: str) -> str:
    """A contender's name as in tables."""
    if name in REFERENCES:
        return REFERENCES[name].title
    method, _, weight = name.partition("_lambda_")
    shown = TITLES.get(method, method)
    return f"{shown}, lambda {weight}" if weight else shown


def _contender(name: str) -> Contender:
    if name in REFERENCES:
        return Contender(name, None, cost=REFERENCES[name].cost)
    return Contender(name, name, cost=_COSTS.get(name, 1.0))


def order(name: str) -> float:
    """Where a contender stands in tables: methods, each with its variants, then references."""
    method, _, weight = name.partition("_lambda_")
    places = (*METHODS, *REFERENCES)
    # Names of another version of the package come last.
    place = places.index(method) if method in places else len(places)
    return place + (0.1 + float(weight) / 1e6 if weight else 0.0)
