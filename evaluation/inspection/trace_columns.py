"""Neuron traces: the records of passes as numbers with names, a row a pass."""

import re
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nsac_core import Internals

Array = NDArray[np.float32]
Record = dict[str, Array]
"""Fields of ``Internals`` of one car, without the axis of the batch; or of many, steps first."""

GROUPS = ("query", "key", "value", "inter", "command", "motor")
"""Groups of neurons, in the order of a pass; those of queries, keys and values are the gates'."""

PROCESS = ("phi", "kappa", "psi", "time", "ou_mean", "ou_std", "logits", "weights")
"""What the backbone and the process give each pair: means over heads and keys, and by head."""

NEURON = re.compile(rf"(?:member_(?P<member>\d+)_)?(?P<group>{'|'.join(GROUPS)})_(?P<index>\d+)")
"""Name of a neuron's column."""

_SUMMARY = re.compile(rf"(?:member_\d+_)?(?:(?:{'|'.join(GROUPS)})_centroid|{'|'.join(PROCESS)})")
_DRAWN = ("logits", "weights")


def of_car(record: Internals, car: int) -> Record:
    """The part of one car of a batch, copied."""
    parts = {field.name: getattr(record, field.name) for field in fields(record)}
    return {
        name: part.select(1 if name in _DRAWN else 0, car).numpy().astype(np.float32)
        for name, part in parts.items()
    }


def table(passes: Sequence[Sequence[Record]]) -> pd.DataFrame:
    """The columns of the passes of consecutive steps, with ``step`` before them.

    Args:
        passes: The records of each: one, or one for each member of an ensemble, whose columns then
            begin with ``member_<m>_``.
    """
    members = [_stacked(of_member) for of_member in zip(*passes, strict=True)]
    prefixes = [f"member_{m}_" for m in range(len(members))] if len(members) > 1 else [""]
    parts = [pd.DataFrame({"step": np.arange(len(passes))})]
    parts += [
        _named(f"{prefix}{name}", values)
        for prefix, member in zip(prefixes, members, strict=True)
        for name, values in _columns(member).items()
    ]
    return pd.concat(parts, axis=1)


def neurons(traces: pd.DataFrame) -> list[str]:
    """Names of the columns that are a neuron each."""
    return [name for name in map(str, traces.columns) if NEURON.fullmatch(name)]


def summaries(traces: pd.DataFrame) -> list[str]:
    """Names of the columns that are a centroid of a group, or a mean over heads and keys."""
    return [name for name in map(str, traces.columns) if _SUMMARY.fullmatch(name)]


def _columns(record: Record) -> Record:
    """Values by name, ``(steps,)`` or with further axes that number columns."""
    groups = _groups(record)
    process = _process(record)
    return {
        **{f"{name}_centroid": values.mean(-1) for name, values in groups.items()},
        **{name: by_head.mean(-1) for name, by_head in process.items()},
        **groups,
        **{f"{name}_head": by_head for name, by_head in process.items()},
        **_attention(record),
    }


def _groups(record: Record) -> Record:
    """Potentials, ``(steps, neurons)``: of the newest token, and means over heads and keys."""
    gates = {name: record[name][:, -1] for name in GROUPS[:3]}
    return {**gates, **{name: record[name][:, :, -1].mean(1) for name in GROUPS[3:]}}


def _process(record: Record) -> Record:
    """Means over the keys of the last query, and over draws, ``(steps, heads)``.

    That of the weights would be the same always: it is the weight on the newest token instead.
    """
    valid = record["key_valid"][:, :, -1]
    drawn = {name: record[name][..., -1, :].mean(1) for name in _DRAWN}
    # What fills up the keys has a logit of minus infinity.
    drawn["logits"] = np.where(valid > 0, drawn["logits"], 0)
    newest = record["key_index"][:, :, -1] == record["key"].shape[1] - 1
    means = {}
    for name in PROCESS[:-1]:
        values = drawn[name] if name in _DRAWN else record[name][:, :, -1]
        means[name] = (values * valid).sum(-1) / np.maximum(valid.sum(-1), 1)
    return {**means, "weights": (drawn["weights"] * newest).sum(-1)}


def _attention(record: Record) -> Record:
    """All that attention works with: by draw, head and chosen key; and the older values."""
    every = {f"{name}_of": record[name][..., -1, :] for name in (*_DRAWN, "time", "key_index")}
    older = record["value"][:, -2::-1]
    return {
        **every,
        **{f"value_ago_{age + 1}": older[:, age] for age in range(older.shape[1])},
    }


def _named(name: str, values: Array) -> pd.DataFrame:
    """A column, or one for each number along the further axes: ``name_00``, ``name_0_00_1``."""
    if values.ndim == 1:
        return pd.DataFrame({name: values})
    widths = [len(str(size - 1)) for size in values.shape[1:]]
    if len(widths) == 1:
        widths = [max(2, *widths)]
    names = [
        "_".join([name, *(f"{i:0{width}d}" for i, width in zip(index, widths, strict=True))])
        for index in np.ndindex(values.shape[1:])
    ]
    return pd.DataFrame(values.reshape(len(values), -1), columns=names)


def _stacked(records: Sequence[Record]) -> Record:
    return {name: np.stack([record[name] for record in records]) for name in records[0]}
