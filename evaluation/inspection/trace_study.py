"""``nsac-inspect traces``: what neurons did along some laps, what they knew, which mattered."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evaluation.errors import EvaluationError
from evaluation.inspection import traces
from evaluation.inspection.correlations import KNOWN, pooled, strongest, weakest
from evaluation.inspection.seen_laps import SeenLap
from evaluation.inspection.silenced import drive_silenced
from evaluation.inspection.trace_figure import COLUMNS, figure_6, neuron_figure
from evaluation.inspection.traces_config import TracesConfig
from evaluation.run import alone
from maps.files import parquet_file
from nsac_core.benchmarks.report import save_figure
from nsac_core.benchmarks.sheets import Field, Number, Sheet

FILE = "correlations.parquet"
GATES = ("phi", "kappa", "psi")
SHOWN = 10
"""Neurons in the tables and in the figure of single ones."""


@dataclass(frozen=True)
class Traced:
    """What came of it.

    Attributes:
        correlations: ``correlations`` of each policy, with the column ``policy`` in front.
        silenced: As from ``drive_silenced``, with ``chosen`` (``most`` or ``least``); None unless
            asked for.
        figures: Files.
        sheets: Tables to print.
    """

    correlations: pd.DataFrame
    silenced: pd.DataFrame | None
    figures: list[Path]
    sheets: list[Sheet]


def trace(config: TracesConfig) -> Traced:
    """Drives what is missing, rates the neurons, draws them, and silences some where asked to.

    Raises:
        EvaluationError: None of the drivers has a circuit; or as ``LapsConfig.laps``.
        PolicyError: As ``LapsConfig.laps``.
        MapError: There is no such map.
        maps.files.locks.LockedError: Another process is at work in the folder.
        OSError: It cannot be written.
    """
    if config.ablate < 0:
        raise EvaluationError(f"ablate is {config.ablate}, expected 0 or more")
    with alone(config.out):
        return _trace(config)


def _trace(config: TracesConfig) -> Traced:
    by_policy: dict[str, list[tuple[SeenLap, pd.DataFrame]]] = {}
    for lap in config.laps():
        own = traces.read(lap.folder)
        if own is not None:
            by_policy.setdefault(lap.policy, []).append((lap, own))
    if not by_policy:
        raise EvaluationError(f"{config.out}: none of its drivers has an attention circuit")
    rated = {
        policy: pooled([(own, lap.steps) for lap, own in laps])
        for policy, laps in by_policy.items()
    }
    table = pd.concat([own.assign(policy=policy) for policy, own in rated.items()])
    table.insert(0, "policy", table.pop("policy"))
    parquet_file.write(config.out / FILE, table)
    figures = [
        file for policy, laps in by_policy.items() for lap, own in laps
        for file in _draw(lap, own, rated[policy])
    ]  # fmt: skip
    sheets = [sheet for policy, own in rated.items() for sheet in sheets_of(policy, own)]
    silenced = _silence(config, rated) if config.ablate else None
    if silenced is not None:
        sheets.append(_silenced_sheet(silenced, table))
    return Traced(table, silenced, figures, sheets)


def _draw(lap: SeenLap, own: pd.DataFrame, rated: pd.DataFrame) -> list[Path]:
    prefix = "member_0_" if "member_0_phi" in own else ""
    neurons = strongest(rated, 2 * COLUMNS - 1)["trace"].tolist()
    drawn = {
        "figure_6": figure_6(lap.steps, own, prefix),
        "neurons": neuron_figure(lap.steps, own, neurons),
    }
    return [
        file for name, figure in drawn.items() for file in save_figure(figure, lap.folder / name)
    ]


def _silence(config: TracesConfig, rated: dict[str, pd.DataFrame]) -> pd.DataFrame:
    ranks: dict[str, Callable[[pd.DataFrame, int], pd.DataFrame]] = {
        "most": strongest,
        "least": weakest,
    }
    chosen = pd.concat(
        rank(own, config.ablate)[["trace"]].assign(policy=policy, chosen=name)
        for policy, own in rated.items()
        for name, rank in ranks.items()
    ).rename(columns={"trace": "neuron"})
    if chosen.empty:
        raise EvaluationError(f"{config.out}: no neuron varies along its laps, none to silence")
    sources = config.sources()
    driven = drive_silenced(config.out, chosen, sources, config.workers, config.trust)
    return chosen.merge(driven, on=["policy", "neuron"])


def sheets_of(policy: str, rated: pd.DataFrame) -> list[Sheet]:
    """What a driver's gates and neurons know, by ``correlations``."""
    head = ["trace", "std", "r steering", "r curve", "r lateral error"]
    head += [f"AUROC {side}" for side in ("left", "straight", "right")]
    means = rated[~rated["neuron"]]
    return [
        Sheet("means", f"{policy}: centroids and gates along the laps.", head, _rows(means)),
        Sheet(
            "neurons",
            f"{policy}: the {SHOWN} neurons most correlated with steering.",
            head,
            _rows(strongest(rated, SHOWN)),
        ),
    ]


def _rows(rated: pd.DataFrame) -> list[list[Field]]:
    return [
        [
            str(row["trace"]),
            Number(float(row["std"]), digits=-2),
            *(Number(float(row[name]), digits=2) for name in KNOWN),
            *(Number(float(row[side]), digits=2) for side in ("left", "straight", "right")),
        ]
        for _, row in rated.iterrows()
    ]


def _silenced_sheet(silenced: pd.DataFrame, table: pd.DataFrame) -> Sheet:
    names = zip(table["policy"], table["trace"], strict=True)
    known = dict(zip(names, table["steering"], strict=True))
    rows: list[list[Field]] = []
    for _, own in silenced.groupby(["policy", "chosen", "neuron"], sort=False):
        policy, neuron = own["policy"].iloc[0], own["neuron"].iloc[0]
        change = {name: own[name] - own[f"intact_{name}"] for name in ("lateral_rmse", "return")}
        rows.append(
            [
                f"{policy}, {own['chosen'].iloc[0]}: {neuron}",
                Number(float(known[policy, neuron]), digits=2),
                Number(float(own["lateral_rmse"].mean()), digits=3),
                Number(float(change["lateral_rmse"].mean()), digits=3),
                Number(float(change["return"].mean()), digits=1),
                f"{own['completed'].sum()} of {len(own)}",
            ]
        )
    head = ["silenced", "r steering", "lateral RMSE", "change", "change of return", "completed"]
    return Sheet(
        "silenced",
        "The same laps with one neuron silenced: the most and the least correlated with steering; "
        "means over laps, changes against the intact driver.",
        head,
        rows,
    )
