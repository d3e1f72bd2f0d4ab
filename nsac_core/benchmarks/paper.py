"""What the paper has published, for comparison; ``paper.json`` holds it."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from nsac_core.benchmarks.sheets import Number


@dataclass(frozen=True)
class Artefact:
    """A reason why a published number is not what it is called.

    Attributes:
        code: A letter, for tables.
        why: What was done, in a sentence.
    """

    code: str
    why: str


@cache
def _published() -> dict[str, Any]:
    text = resources.files("nsac_core.benchmarks").joinpath("paper.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def data_sets() -> list[str]:
    """Those that the paper reports, in the order of its Table 1."""
    return list(_published()["data_sets"])


def published(data_set: str, method: str, metric: str) -> Number | None:
    """A number of the paper's Table 1, or None where it has none.

    Args:
        data_set: One of ``data_sets()``.
        method: Key of ``METHODS``.
        metric: ``mse``, ``nll``, ``crps``, ``ece`` or ``auroc``.
    """
    pair = _published()["data_sets"].get(data_set, {}).get(method, {}).get(metric)
    return None if pair is None else Number(*pair)


def artefacts() -> list[Artefact]:
    """Every reason there is."""
    return [Artefact(entry["code"], entry["why"]) for entry in _published()["artefacts"]]


def artefacts_of(data_set: str, method: str, metric: str) -> list[Artefact]:
    """Why a published number is not what it is called; none for a number that may be.

    Args:
        data_set: One of ``data_sets()``.
        method: Key of ``METHODS``.
        metric: As for ``published``.
    """
    number = published(data_set, method, metric)
    if number is None:
        return []
    where = {"data_sets": data_set, "methods": method, "metrics": metric}
    return [
        Artefact(entry["code"], entry["why"])
        for entry in _published()["artefacts"]
        if all(value in entry.get(name, [value]) for name, value in where.items())
        and entry.get("published", number.mean) == number.mean
    ]
