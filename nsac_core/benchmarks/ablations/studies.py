"""The settings that are varied, one study each, around one base."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nsac_core.benchmarks.ablations.config import StudyName
from nsac_core.benchmarks.contenders import Contender

LENGTHS = (100, 500, 1_000, 5_000, 10_000, 20_000, 30_000, 50_000)
TOP_KS = (2, 4, 8, 16, 32)
BASE: dict[str, Any] = {
    "heads": 16,
    "sparsity": 0.5,
    "top_k": 8,
    "n_samples": 5,
    "ood_mean": 0.0,
    "ood_std": 5.0,
}


@dataclass(frozen=True)
class Study:
    """One setting, varied.

    Attributes:
        option: Of the method ``nsac``.
        label: As on an axis.
        values: In order.
        base: What differs from ``BASE`` in all of it.
        metrics: Scores that are shown.
    """

    option: str
    label: str
    values: tuple[Any, ...]
    base: dict[str, Any] = field(default_factory=dict)
    metrics: tuple[str, ...] = ("mse", "mae")

    def contender(self, value: float) -> Contender:
        """The variant of a value."""
        return variant({**self.base, self.option: value})


# The paper varies heads and sparsity around 4 heads, the rest around 16.
STUDIES: dict[StudyName, Study] = {
    "heads": Study("heads", "heads", (1, 2, 4, 8, 16, 32)),
    "sparsity": Study("sparsity", "sparsity", (0.1, 0.3, 0.5, 0.7, 0.8, 0.9), {"heads": 4}),
    "samples": Study("n_samples", "draws", (1, 3, 5, 10, 15, 20), metrics=("crps",)),
    "ood_mean": Study(
        "ood_mean", "mean of the perturbation", (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), metrics=("crps",)
    ),
    "ood_std": Study(
        "ood_std",
        "std of the perturbation",
        (1.0, 2.0, 3.0, 5.0, 10.0, 15.0),
        metrics=("crps",),
    ),
}


def variant(options: dict[str, Any], length: int | None = None) -> Contender:
    """NSAC with these options; its name tells what is not as in the base.

    Two studies that meet in the same options share the variant.
    """
    options = {**BASE, **options}
    told = [f"{name}_{value:g}" for name, value in options.items() if value != BASE[name]]
    told += [] if length is None else [f"length_{length}"]
    keys = options["top_k"] / BASE["top_k"]
    cost = options["n_samples"] ** 0.5 * (1.0 + keys + (length or 0) / 2_000)
    return Contender("-".join(["nsac", *told]), "nsac", options, cost)


def by_length(top_k: int, length: int) -> Contender:
    """NSAC that attends to some keys of a long sequence."""
    return variant({"top_k": top_k}, length)


def length_of(contender: Contender) -> int | None:
    """Points that a variant of the study of lengths is told, None for the others."""
    _, _, length = contender.name.partition("length_")
    return int(length) if length else None


def variants(studies: Sequence[StudyName], longest: int) -> list[Contender]:
    """All that some studies need, each once.

    Args:
        studies: Names.
        longest: Longest sequence of the study of lengths.
    """
    found = [
        STUDIES[name].contender(value)
        for name in studies
        if name in STUDIES
        for value in STUDIES[name].values
    ]
    if "length" in studies:
        lengths = [length for length in LENGTHS if length <= longest]
        found += [by_length(top_k, length) for length in lengths for top_k in TOP_KS]
    return list({contender.name: contender for contender in found}.values())
