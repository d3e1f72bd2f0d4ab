"""The tables of a comparison."""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from evaluation.comparison.config import ARMS, Arm
from evaluation.comparison.intervals import clustered_wilson, crossed_bootstrap, matrix
from evaluation.comparison.laps import Driven
from evaluation.comparison.open_loop import OVERALL
from evaluation.metrics import REGISTRY
from evaluation.statistics import Interval, worst_decile
from evaluation.summary import shown
from nsac_core.benchmarks.contenders import order, title
from nsac_core.benchmarks.sheets import Field, Number, Sheet, with_best
from nsac_core.benchmarks.tables import LABELS, beside_paper, other_scores
from policies.protocol import ACTIONS

MEASURES = (
    *("completed", "success", "clean_lap", "return", "lateral_rmse", "steering_change"),
    "latency_p50_ms",
)
"""Lap metrics of the tables of driving, in their order."""

GAINS = ("completed", "success", "return", "lateral_rmse")
"""Lap metrics whose differences are shown."""

REFERENCE = "nsac"

BEFORE: dict[Arm, Arm] = {"dagger": "plain", "colours": "dagger"}
"""The arm that another one is compared with: what it adds to."""


def open_loop_sheets(scores: pd.DataFrame) -> list[Sheet]:
    """Scores beside the paper's Table 1, further ones, and those of each action.

    Args:
        scores: As from ``open_loop.predict_all``.
    """
    found = []
    for arm in arms_of(scores):
        own = scores[scores["arm"] == arm]
        overall = one_row_a_clone(own[own["action"] == OVERALL])
        found += [
            _named(beside_paper("carracing", overall), f"open_loop_{arm}"),
            _named(other_scores(overall), f"open_loop_more_{arm}"),
            _by_action(own, arm),
        ]
    return found


def driving_sheet(driven: Driven, arm: str, rng: np.random.Generator) -> Sheet:
    """What the clones of an arm drove, beside what the ceilings did."""
    laps = driven.clones[driven.clones["arm"] == arm]
    rows = [_driving_row(title(method), own, rng) for method, own in by_method(laps)]
    if len(driven.ceilings):
        for name, own in driven.ceilings.groupby("policy", sort=False):
            rows.append(_driving_row(str(name), own.assign(model=0), rng))
    head = ["driver", "laps"]
    for name in MEASURES:
        head += [_title(name)] + (["median", "worst tenth"] if name == "return" else [])
    models = laps["model"].nunique()
    return Sheet(
        f"driving_{arm}",
        f"Laps of the {arm} clones: {models} models of each method on "
        f"{laps['map'].nunique()} tracks, {laps['renderer'].iloc[0]} renderer. Shares with Wilson "
        "intervals of as many laps as the correlated ones are worth, means with bootstrap "
        "intervals over models and tracks (95 %). Latency is that of a decision for a whole batch.",
        head,
        rows,
    )


def arms_sheet(driven: Driven, rng: np.random.Generator) -> Sheet:
    """Every arm of every method side by side."""
    arms = arms_of(driven.clones)
    rows: list[list[Field]] = []
    for method, own in by_method(driven.clones):
        row: list[Field] = [title(method)]
        for name in GAINS:
            for arm in arms:
                laps = own[own["arm"] == arm]
                found = _with_interval(interval_of(laps, name, rng), name) if len(laps) else "-"
                row.append(found)
        rows.append(row)
    return Sheet(
        "arms",
        "What corrections (dagger), and these with recoloured training pictures (colours), make of "
        "the plain clones, all on the same laps.",
        ["method", *(f"{_title(name)}, {arm}" for name in GAINS for arm in arms)],
        rows,
    )


def difference_sheet(driven: Driven, arm: str, rng: np.random.Generator) -> Sheet:
    """Differences of each method from NSAC, on the same tracks with the same seeds."""
    laps = dict(by_method(driven.clones[driven.clones["arm"] == arm]))
    reference = laps.get(REFERENCE)
    rows: list[list[Field]] = []
    for method, own in laps.items():
        if reference is not None and method != REFERENCE:
            rows.append([title(method), *_gaps(reference, own, rng)])
    return Sheet(
        f"differences_{arm}",
        f"Differences of the {arm} clones from NSAC's, lap by lap (same track, same seed), with "
        "bootstrap intervals over models and tracks; one that spans zero tells nothing.",
        ["method", *map(_title, GAINS)],
        rows,
    )


def gain_sheet(driven: Driven, arm: Arm, rng: np.random.Generator) -> Sheet:
    """What an arm buys each method: differences from its own clones of the arm before."""
    base = BEFORE[arm]
    before = dict(by_method(driven.clones[driven.clones["arm"] == base]))
    after = dict(by_method(driven.clones[driven.clones["arm"] == arm]))
    rows: list[list[Field]] = [
        [title(method), *_gaps(before[method], own, rng)]
        for method, own in after.items()
        if method in before
    ]
    return Sheet(
        f"gains_{arm}",
        f"What {arm} buys: differences of the {arm} clones from the {base} ones of the same method "
        "and seed on the same track.",
        ["method", *map(_title, GAINS)],
        rows,
    )


def arms_of(frame: pd.DataFrame) -> list[Arm]:
    """The arms in a table, in order."""
    return [arm for arm in ARMS if (frame["arm"] == arm).any()]


def by_method(laps: pd.DataFrame) -> Iterable[tuple[str, pd.DataFrame]]:
    """The laps of each method, in the order of tables."""
    groups = [(str(method), own) for method, own in laps.groupby("method", sort=False)]
    return sorted(groups, key=lambda pair: order(pair[0]))


def interval_of(laps: pd.DataFrame, name: str, rng: np.random.Generator) -> Interval:
    """Mean or share of a metric of one method's laps."""
    values = matrix(laps, name)
    if REGISTRY[name].kind == "flag":
        return clustered_wilson(values)
    return crossed_bootstrap(values, rng)


def _driving_row(name: str, laps: pd.DataFrame, rng: np.random.Generator) -> list[Field]:
    row: list[Field] = [name, str(len(laps))]
    for metric in MEASURES:
        row.append(_with_interval(interval_of(laps, metric, rng), metric))
        if metric == "return":
            values = matrix(laps, metric)
            row += [
                _with_interval(crossed_bootstrap(values, rng, statistic), metric)
                for statistic in (np.median, worst_decile)
            ]
    return row


def _gaps(before: pd.DataFrame, after: pd.DataFrame, rng: np.random.Generator) -> list[str]:
    fields = []
    for name in GAINS:
        gap = crossed_bootstrap(matrix(after, name) - matrix(before, name), rng)
        factor = 1.0 if REGISTRY[name].kind == "number" else 100.0
        if math.isnan(gap.estimate):
            fields.append("undefined")
            continue
        estimate, low, high = (factor * value for value in (gap.estimate, gap.low, gap.high))
        fields.append(f"{estimate:+.2f} [{low:+.2f}, {high:+.2f}]")
    return fields


def _with_interval(interval: Interval, name: str) -> str:
    metric = REGISTRY[name]
    if math.isnan(interval.low):
        return shown(interval.estimate, metric)
    low, high = shown(interval.low, metric), shown(interval.high, metric)
    return f"{shown(interval.estimate, metric)} [{low}, {high}]".replace(" %", "%")


def _by_action(scores: pd.DataFrame, arm: str) -> Sheet:
    names = ("mse", "nll", "crps", "ece", "auroc")
    methods = sorted(scores["method"].unique(), key=order)
    rows: list[list[Field]] = []
    for action in ACTIONS:
        own = one_row_a_clone(scores[scores["action"] == action])
        columns = [
            with_best(
                [Number.of(own.loc[own["model"] == m, name].tolist()) for m in methods],
                LABELS[name][1],
            )
            for name in names
        ]
        for number, method in enumerate(methods):
            rows.append([action, title(method), *(column[number] for column in columns)])
    return Sheet(
        f"open_loop_actions_{arm}",
        f"Scores of each action on the test episodes, {arm} clones; the best of an action in bold.",
        ["action", "method", *(LABELS[name][0] for name in names)],
        rows,
    )


def one_row_a_clone(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores of one action as the benchmarks have them: ``model`` (the method), ``seed``, each."""
    wide = scores.pivot(index=["method", "seed"], columns="metric", values="value").reset_index()
    wide = wide.rename(columns={"method": "model"}).rename_axis(columns=None)
    place = wide["model"].map(order)
    return wide.assign(place=place).sort_values(["place", "seed"]).drop(columns="place")


def _named(sheet: Sheet, name: str) -> Sheet:
    return Sheet(name, sheet.caption, sheet.head, sheet.rows)


def _title(name: str) -> str:
    metric = REGISTRY[name]
    words = f"{metric.label} ({metric.unit})" if metric.unit else metric.label
    return words.replace("|", r"\|")
