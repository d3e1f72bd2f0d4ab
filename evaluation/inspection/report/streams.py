"""Numbers of a lap for the page: what moves with the slider, and what is said of the lap."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from drive.carracing.regions import Region
from evaluation import report, tables
from evaluation.foresight import alarm_level, coming_error
from evaluation.inspection.report.evidence import Evidence
from evaluation.metrics.base import STEP_SECONDS, column
from evaluation.metrics.road import departure_steps, off_road
from evaluation.metrics.uncertainty import total_sigma
from policies.protocol import ACTIONS

MAX_TRACES = 600
"""Columns of traces that the page holds; whole groups, the smallest first."""
_COLUMNS = {
    "time": 2, "x": 2, "y": 2, "heading": 3, "speed": 1, "arc_length": 1, "lateral_error": 2,
    "curvature": 4, "wheels_off_road": 0,
}  # fmt: skip


def stated(steps: pd.DataFrame) -> bool:
    """Whether the driver says anywhere how uncertain its steering is."""
    sigma = total_sigma(steps)
    return bool(np.isfinite(sigma).any() and np.nanmax(sigma) > 0)


def stream(evidence: Evidence, row: "pd.Series[Any]", level: float) -> dict[str, Any]:
    """What the page draws of a lap but pictures and traces, as JSON values.

    Args:
        evidence: The lap.
        row: Its row of ``laps.parquet``.
        level: Of the steering's total sigma, above which the alarm sounds.
    """
    lap, steps = evidence.lap, evidence.lap.steps
    found: dict[str, Any] = {
        "policy": lap.policy,
        "lap": lap.lap,
        "map": lap.map,
        "title": f"{lap.map}, {lap.policy}: {row['return']:.1f}",
        "outcome": tables.outcome(row),
        "notes": notes(evidence),
        "progress": [round(100 * float(share), 2) for share in column(steps, "progress")],
        "departures": departure_steps(steps).tolist(),
        "stated": stated(steps),
    }
    found.update({name: report.numbers(steps, name, digits) for name, digits in _COLUMNS.items()})
    for name in ACTIONS:
        for part in ("action", "mean"):
            found[f"{part}_{name}"] = report.numbers(steps, f"{part}_{name}", 3)
        if found["stated"]:
            for part in ("aleatoric", "epistemic"):
                found[f"{part}_{name}"] = report.numbers(steps, f"{part}_{name}", 5)
    if found["stated"]:
        found.update(_foresight(steps, level))
    found["shares"] = shares(evidence)
    return found


def usual_level(laps: Sequence[pd.DataFrame]) -> float:
    """The alarm's level of a driver over its laps, by the steps at which it states a sigma."""
    known = [lap[np.isfinite(total_sigma(lap))] for lap in laps]
    return alarm_level([total_sigma(lap) for lap in known], known)


def notes(evidence: Evidence) -> list[str]:
    """What a reader must know before reading the lap: an early end, what is missing."""
    steps = evidence.lap.steps
    said = []
    if not steps["lap_complete"].iloc[-1]:
        end = "the car left the playfield" if _terminated(steps) else "time was up"
        said.append(
            f"This lap ended after {len(steps)} {'step' if len(steps) == 1 else 'steps'} "
            f"({len(steps) * STEP_SECONDS:.2f} s) and was not completed: {end}."
        )
    said.extend(_uncertainty_notes(steps))
    missing = [
        name
        for name, part in (
            ("frames", evidence.lap.frames),
            ("saliency", evidence.saliency),
            ("neuron traces", evidence.traces),
        )
        if part is None
    ]
    if missing:
        said.append(f"Not recorded of this lap: {', '.join(missing)}.")
    return said


def shares(evidence: Evidence) -> dict[str, list[float | None]]:
    """Share of the saliency on each kind of region at each step; empty where it is not known."""
    saliency, regions = evidence.saliency, evidence.regions
    if saliency is None or regions is None or saliency.shape != regions.shape:
        return {}
    mass = saliency.reshape(len(saliency), -1).astype(np.float64)
    kind = regions.reshape(len(regions), -1)
    total = mass.sum(axis=1)
    found = {}
    for region in Region:
        own = np.where(kind == region, mass, 0.0).sum(axis=1)
        if own.any():
            share = np.divide(own, total, out=np.full_like(own, np.nan), where=total > 0)
            found[region.label] = [
                round(s, 3) if math.isfinite(s) else None for s in share.tolist()
            ]
    return found


def traces(evidence: Evidence) -> dict[str, Any]:
    """Groups of neurons and other quantities, and their values, as JSON values."""
    frame = evidence.traces
    if frame is None:
        return {"groups": {}, "values": {}}
    names = [str(name) for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name])]
    groups: dict[str, list[str]] = {}
    for name in names:
        if name not in ("step", "lap", "time_s"):
            groups.setdefault(_group(name), []).append(name)
    kept: dict[str, list[str]] = {}
    room = MAX_TRACES
    for group in sorted(groups, key=lambda name: len(groups[name])):
        room -= len(groups[group])
        if room >= 0:
            kept[group] = groups[group]
    ordered = {group: kept[group] for group in groups if group in kept}
    values = {name: _significant(frame, name) for own in ordered.values() for name in own}
    return {"groups": ordered, "values": values}


def _group(name: str) -> str:
    """``query`` of ``query_07``; all centroids together; a lone quantity with the others."""
    numbered = re.fullmatch(r"(.+?)(_\d+)+", name)
    if numbered:
        return numbered[1]
    return "centroids" if name.endswith("_centroid") else "means"


def _significant(frame: pd.DataFrame, name: str) -> list[float | None]:
    """Four significant digits; None for what is not finite."""
    values = column(frame, name).tolist()
    return [float(f"{value:.4g}") if math.isfinite(value) else None for value in values]


def _terminated(steps: pd.DataFrame) -> bool:
    return "terminated" in steps and bool(steps["terminated"].iloc[-1])


def _uncertainty_notes(steps: pd.DataFrame) -> list[str]:
    sigma = np.column_stack([total_sigma(steps, name) for name in ACTIONS])
    absent = int((~np.isfinite(sigma)).any(axis=1).sum())
    if absent:
        where = "at every step" if absent == len(steps) else f"at {absent} of {len(steps)} steps"
        return [f"The uncertainty is not a number (NaN) {where}: no bands and no alarms there."]
    return [] if sigma.any() else ["This driver states no uncertainty."]


def _foresight(steps: pd.DataFrame, level: float) -> dict[str, Any]:
    """Where the alarm sounds, and the error that came."""
    alarm = (total_sigma(steps) > level) & ~off_road(steps)
    coming = np.round(coming_error(steps), 2).tolist()
    return {
        "alarms": np.flatnonzero(alarm).tolist(),
        "alarm_level": level if math.isfinite(level) else None,
        "coming": [value if math.isfinite(value) else None for value in coming],
    }
