"""What the paper has published, for comparison; ``paper.json`` holds it."""

import json
from functools import cache
from importlib import resources
from typing import Any

from nsac_core.benchmarks.sheets import Number


@cache
def _table() -> dict[str, Any]:
    text = resources.files("nsac_core.benchmarks").joinpath("paper.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)["data_sets"]
    return table


def data_sets() -> list[str]:
    """Those that the paper reports."""
    return list(_table())


def published(data_set: str, method: str, metric: str) -> Number | None:
    """A number of the paper's Table 1, or None where it has none.

    Args:
        data_set: One of ``data_sets()``.
        method: Key of ``METHODS``.
        metric: ``mse``, ``nll``, ``crps``, ``ece`` or ``auroc``.
    """
    pair = _table().get(data_set, {}).get(method, {}).get(metric)
    return None if pair is None else Number(*pair)
