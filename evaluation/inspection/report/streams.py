"""Numbers of a lap for the page: what moves with the slider, and what is said of the lap."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation import report, tables
from evaluation.foresight import alarm_level, coming_error
from evaluation.inspection.report.evidence import Evidence
from evaluation.inspection.trace_columns import neurons, summaries
from evaluation.metrics.base import STEP_SECONDS, column
from evaluation.metrics.road import departure_steps, off_road
from evaluation.metrics.uncertainty import total_sigma
from policies.protocol import ACTIONS

MAX_TRACES = 600
"""Neurons and other quantities of a driver that the page holds."""
_COLUMNS = {
    "time": 2,
    "x": 2,
    "y": 2,
    "heading": 3,
    "speed": 1,
    "lateral_error": 2,
}


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
        "lens": evidence.lens,
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
    found["shares"] = {
        region: report.rounded(share, 3) for region, share in (evidence.shares or {}).items()
    }
    return found


def usual_level(laps: Sequence[pd.DataFrame]) -> float:
    """The alarm's level of a driver over its laps, by the steps at which it states a sigma."""
    known = [lap[np.isfinite(total_sigma(lap))] for lap in laps]
    return alarm_level([total_sigma(lap) for lap in known], known)


def alarms(steps: pd.DataFrame, level: float) -> NDArray[np.int64]:
    """Steps on the road at which the steering's total sigma is above the alarm's level."""
    return np.flatnonzero((total_sigma(steps) > level) & ~off_road(steps))


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


def traces(evidence: Evidence, room: int = MAX_TRACES) -> dict[str, Any]:
    """Groups of neurons and other quantities, and their values, as JSON values.

    Args:
        evidence: The lap.
        room: Most columns; of a driver with more, whole groups are left out, the largest first,
            and named in ``left_out``.
    """
    frame = evidence.traces
    groups: dict[str, list[str]] = {}
    if frame is None:
        return {"groups": groups, "left_out": [], "values": {}}
    for name in summaries(frame):
        groups.setdefault("centroids" if name.endswith("_centroid") else "means", []).append(name)
    for name in neurons(frame):
        groups.setdefault(name.rsplit("_", 1)[0], []).append(name)
    left_out = []
    while sum(map(len, groups.values())) > room:
        left_out.append(max(groups, key=lambda group: len(groups[group])))
        del groups[left_out[-1]]
    values = {name: _significant(frame, name) for own in groups.values() for name in own}
    return {"groups": groups, "left_out": left_out, "values": values}


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
    return {
        "alarms": alarms(steps, level).tolist(),
        "alarm_level": level if math.isfinite(level) else None,
        "coming": report.rounded(coming_error(steps), 2),
    }
