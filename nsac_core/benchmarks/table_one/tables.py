"""Table 1: ours in one, each data set beside the paper's, and what is wrong with the paper's."""

from collections.abc import Sequence

import pandas as pd

from nsac_core.benchmarks import paper
from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.sheets import Field, Number, Sheet, with_best
from nsac_core.benchmarks.table_one.intervals import number
from nsac_core.benchmarks.table_one.sources import METRICS, SOURCES, Source
from nsac_core.benchmarks.tables import LABELS, digits_of
from nsac_core.methods import METHODS

_BASELINE = {"ettm1": "persistence", "jena": "persistence"}
"""What a method should beat, where it is not the constant."""


def sheets(found: pd.DataFrame) -> list[Sheet]:
    """All tables.

    Args:
        found: As from ``sources.gathered``.
    """
    beside = [beside_paper(found, source) for source in SOURCES]
    there = [sheet for sheet in beside if sheet.rows]
    return [table_one(found), *there, reasons(), runs(found)]


def table_one(found: pd.DataFrame) -> Sheet:
    """Every metric of every method on every data set, in the paper's form."""
    columns = {
        (source.data_set, metric): _numbers(found, source.data_set, metric, list(METHODS))
        for source in SOURCES
        for metric in METRICS
    }
    rows: list[list[Field]] = [
        [f"{title(model)}, {LABELS[metric][0]}"]
        + [columns[source.data_set, metric][place] for source in SOURCES]
        for metric in METRICS
        for place, model in enumerate(METHODS)
    ]
    return Sheet(
        "all",
        "Our Table 1: mean over the seeds and half of its 95 % interval; the best in bold.",
        ["method, metric", *(source.title for source in SOURCES)],
        rows,
    )


def beside_paper(found: pd.DataFrame, source: Source) -> Sheet:
    """A data set's scores beside those published, and what is wrong with these."""
    rows = found[found["data_set"] == source.data_set]
    baseline = _BASELINE.get(source.data_set, "constant")
    models = [name for name in (*METHODS, baseline) if name in set(rows["model"])]
    columns = {metric: _numbers(rows, source.data_set, metric, models) for metric in METRICS}
    head = ["method"]
    for metric in METRICS:
        head += [LABELS[metric][0], "published"]
    table: list[list[Field]] = []
    for place, model in enumerate(models):
        line: list[Field] = [title(model)]
        for metric in METRICS:
            theirs = paper.published(source.data_set, model, metric)
            line += [columns[metric][place], "-" if theirs is None else theirs]
        table.append([*line, _doubts(source.data_set, model)])
    return Sheet(
        source.data_set,
        f"{source.title}: ours, with half of the 95 % interval and the best of the six in bold, "
        "beside the published, with the standard deviation; the last column says what is wrong "
        "with these.",
        [*head, "published ones in doubt"],
        table,
    )


def reasons() -> Sheet:
    """What the letters of the last column stand for."""
    return Sheet(
        "reasons",
        "What the letters mean.",
        ["letter", "why a published number is not what it is called"],
        [[entry.code, entry.why] for entry in paper.artefacts()],
    )


def runs(found: pd.DataFrame) -> Sheet:
    """How many seeds there are of each data set, and what makes them."""
    counts = found.groupby("data_set")["seed"].nunique()
    return Sheet(
        "runs",
        "The runs that the tables are made from.",
        ["data set", "seeds", "command"],
        [
            [source.title, str(counts.get(source.data_set, "none")), f"`{source.command}`"]
            for source in SOURCES
        ],
    )


def _numbers(
    found: pd.DataFrame, data_set: str, metric: str, models: Sequence[str]
) -> list[Number]:
    """Of each method; the best of the six is marked."""
    rows = found[(found["data_set"] == data_set) & (found["metric"] == metric)]
    values = [rows.loc[rows["model"] == model, "value"] for model in models]
    digits = digits_of(metric, [float(own.mean()) for own in values if len(own)])
    numbers = [number(own, digits) for own in values]
    six = sum(model in METHODS for model in models)  # they come first
    return with_best(numbers[:six], LABELS[metric][1]) + numbers[six:]


def _doubts(data_set: str, model: str) -> str:
    """Such as ``MSE b; NLL b h``."""
    found = {
        metric: [entry.code for entry in paper.artefacts_of(data_set, model, metric)]
        for metric in METRICS
    }
    return "; ".join(
        f"{LABELS[metric][0]} {' '.join(codes)}" for metric, codes in found.items() if codes
    )
