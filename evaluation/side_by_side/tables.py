"""Tables of a comparison: conditions down, policies across."""

import math

import numpy as np

from evaluation.perturbations import CLEAN, Perturbed
from evaluation.side_by_side.measures import (
    MEASURES,
    RETURN,
    SUCCESS,
    Against,
    Measure,
    difference,
    mean,
)
from evaluation.side_by_side.shared_laps import SharedLaps
from evaluation.statistics import Interval
from maps.screen_table import ScreenTable
from nsac_core.benchmarks.sheets import Field, Sheet

MANY = 24
"""Conditions that a table or a figure can show one by one."""

DASH = "–"  # noqa: RUF001 - a dash, not a minus


def sheets(laps: SharedLaps) -> list[Sheet]:
    """All tables, those of differences where there is something to compare with."""
    found = [_pooled(laps, measure) for measure in (SUCCESS, RETURN)] if is_long(laps) else []
    found += [_measured(laps, measure) for measure in MEASURES]
    if len(laps.policies) > 1:
        found += [_compared(laps, measure, "reference") for measure in (SUCCESS, RETURN)]
    if laps.perturbed:
        found += [_compared(laps, measure, "clean") for measure in (SUCCESS, RETURN)]
    return found


def is_long(laps: SharedLaps) -> bool:
    """Whether there are more conditions than one can take in, unless pooled by perturbation."""
    return len(laps.conditions) > MANY


def screen(sheet: Sheet) -> ScreenTable:
    """A table for the terminal."""
    rows = [[f if isinstance(f, str) else f.markdown() for f in row] for row in sheet.rows]
    return ScreenTable(sheet.head, rows, sheet.caption)


def name_of(condition: Perturbed) -> str:
    """A condition as tables and axes call it."""
    return "clean" if condition == CLEAN else str(condition)


def name_of_all(conditions: list[Perturbed]) -> str:
    """The conditions of one perturbation, as ``blur:1-5``."""
    if len(conditions) == 1:
        return name_of(conditions[0])
    severities = [condition.severity for condition in conditions]
    whole = severities == list(range(severities[0], severities[-1] + 1))
    joined = f"{severities[0]}-{severities[-1]}" if whole else "/".join(map(str, severities))
    return f"{conditions[0].name}:{joined}"


def shown(value: float, percent: bool, sign: bool = False) -> str:
    """A number as tables show it."""
    if not math.isfinite(value):
        return DASH
    plus = "+" if sign else ""
    return f"{100 * value:{plus}.1f}" if percent else f"{value:{plus}.1f}"


def cell(interval: Interval, percent: bool, sign: bool = False) -> str:
    """An estimate with its interval."""
    if not math.isfinite(interval.estimate):
        return DASH
    text = shown(interval.estimate, percent, sign)
    if not math.isfinite(interval.low):
        return text
    low, high = (shown(end, percent, sign) for end in (interval.low, interval.high))
    return f"{text} [{low}, {high}]"


def _pooled(laps: SharedLaps, measure: Measure) -> Sheet:
    rows: list[list[Field]] = []
    for conditions in laps.groups.values():
        values = [mean(laps, policy, conditions, measure) for policy in laps.policies]
        rows.append([name_of_all(conditions), *(shown(v, measure.percent) for v in values)])
    unit = ", %" if measure.percent else ""
    caption = f"{measure.title}{unit}, mean of the severities"
    return Sheet(f"pooled_{measure.name}", caption, ["condition", *laps.policies], rows)


def _measured(laps: SharedLaps, measure: Measure) -> Sheet:
    percent = measure.percent or measure.metric.endswith("_share")
    rows: list[list[Field]] = []
    for condition in laps.conditions:
        found = (measure.of(laps, policy, condition, _rng()) for policy in laps.policies)
        cells = (cell(interval, percent) for interval in found)
        rows.append([name_of(condition), _count(laps, condition), *cells])
    unit = ", %" if percent else ""
    caption = f"{measure.title}{unit} [95 % interval]"
    return Sheet(measure.name, caption, ["condition", "laps", *laps.policies], rows)


def _compared(laps: SharedLaps, measure: Measure, against: Against) -> Sheet:
    conditions = laps.conditions if against == "reference" else laps.perturbed
    policies = laps.policies[1:] if against == "reference" else laps.policies
    other = laps.policies[0] if against == "reference" else "the policy's own clean laps"
    rows: list[list[Field]] = []
    for condition in conditions:
        gaps = (
            difference(laps, policy, [condition], measure, against, _rng()) for policy in policies
        )
        cells = (cell(gap, measure.percent, sign=True) for gap in gaps)
        rows.append([name_of(condition), *cells])
    unit = ", points" if measure.percent else ""
    caption = f"{measure.title}{unit}, paired difference from {other} [95 % interval]"
    return Sheet(f"{against}_{measure.name}", caption, ["condition", *policies], rows)


def _count(laps: SharedLaps, condition: Perturbed) -> str:
    """Laps of each policy that drove the condition."""
    return str(max(len(laps.of(policy, condition)) for policy in laps.policies))


def _rng() -> np.random.Generator:
    """The same for each cell, whichever others there are."""
    return np.random.default_rng(0)
