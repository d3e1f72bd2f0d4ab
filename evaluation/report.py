"""The report: one HTML file with everything in it, to open anywhere or send to anyone."""

import json
import math
from html import escape
from importlib import resources
from string import Template
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from plotly.offline import get_plotlyjs

import maps
from drive.track import Track
from evaluation import tables
from evaluation.foresight import Foresight, foresight
from evaluation.labels import labelled
from evaluation.metrics.base import column
from evaluation.summary import differences, summarise
from policies.protocol import ACTIONS

MAX_POINTS = 500
"""Points of a lap that the report keeps: every second step of a long one."""
MAX_TRACE_BYTES = 18_000_000
"""Of the laps that can be viewed, worst first; with plotly itself the file stays below 30 MB."""


def build(laps: pd.DataFrame, steps: pd.DataFrame, configuration: dict[str, Any]) -> str:
    """The report as one self-contained HTML document.

    Args:
        laps: As from ``drive_laps``; any number of policies.
        steps: Likewise.
        configuration: What was run, as JSON values.
    """
    drivers = [str(policy) for policy in laps["policy"].unique()]
    findings, gaps = labelled(summarise(laps)), labelled(differences(laps))
    laps, steps = labelled(laps), labelled(steps)
    ordered = laps.sort_values("return", kind="stable").reset_index(drop=True)
    viewed = _viewed(ordered, steps)
    rated = {str(policy): foresight(own) for policy, own in steps.groupby("policy", sort=False)}
    policies = [str(policy) for policy in laps["policy"].unique()]
    data = {
        "policies": policies,
        "table": _dots(ordered),
        "laps": viewed,
        "maps": {name: road(name, half) for name, half in _roads(viewed, ordered).items()},
        "foresight": {policy: [curves(one) for one in own] for policy, own in rated.items()},
    }
    missing = len(ordered) - len(viewed)
    omitted = (
        f" The {missing} best of {len(ordered)} laps are not in the viewer." if missing else ""
    )
    return Template(packaged("report.html")).substitute(
        title=f"Evaluation of {escape(', '.join(drivers))}",
        css=packaged("report.css"),
        page=packaged("page.js"),
        foresight_js=packaged("foresight.js"),
        js=packaged("report.js"),
        plotly=get_plotlyjs(),
        facts=tables.facts(laps),
        findings=tables.findings(findings),
        summary=tables.summary_table(findings),
        differences=tables.difference_table(gaps),
        omitted=omitted,
        laps=tables.lap_table(ordered, {lap["id"] for lap in viewed}),
        foresight=tables.foresight_section(rated),
        definitions=tables.definitions(),
        configuration=escape(json.dumps(configuration, indent=1)),
        data=json.dumps(data, allow_nan=False, separators=(",", ":")).replace("</", "<\\/"),
    )


def packaged(name: str) -> str:
    """Text of a file that comes with this package."""
    return resources.files("evaluation").joinpath(name).read_text(encoding="utf-8")


def _dots(laps: pd.DataFrame) -> list[dict[str, Any]]:
    """What the plot of returns needs of every lap; its ``id`` is its place, worst first."""
    columns = laps[["policy", "lap", "map", "return", "completed"]].to_dict("records")
    return [{"id": i, **{str(k): v for k, v in row.items()}} for i, row in enumerate(columns)]


def _viewed(laps: pd.DataFrame, steps: pd.DataFrame) -> list[dict[str, Any]]:
    """The traces of the laps, worst first, as many as fit."""
    groups = dict(iter(steps.groupby(["policy", "lap"], sort=False)))
    traces: list[dict[str, Any]] = []
    size = 0
    for i, lap in laps.iterrows():
        trace = {"id": i, **_trace(lap, groups[lap["policy"], lap["lap"]])}
        size += len(json.dumps(trace))
        if size > MAX_TRACE_BYTES:
            break
        traces.append(trace)
    return traces


def _trace(lap: "pd.Series[Any]", steps: pd.DataFrame) -> dict[str, Any]:
    thin = steps.iloc[:: math.ceil(len(steps) / MAX_POINTS)]
    trace: dict[str, Any] = {
        "map": lap["map"],
        "title": f"{lap['map']}, {lap['policy']}: {lap['return']:.1f}",
        "outcome": tables.outcome(lap),
        "time": numbers(thin, "time", 2),
        "progress": [_percent(value) for value in column(thin, "progress")],
        "x": numbers(thin, "x", 2),
        "y": numbers(thin, "y", 2),
        "speed": numbers(thin, "speed", 1),
        "error": numbers(thin, "lateral_error", 2),
    }
    for name in ACTIONS:
        for part in ("action", "mean"):
            trace[f"{part}_{name}"] = numbers(thin, f"{part}_{name}", 3)
        sigmas = {part: f"{part}_{name}" for part in ("aleatoric", "epistemic")}
        if any((column(thin, sigma) != 0).any() for sigma in sigmas.values()):
            trace.update({sigma: numbers(thin, sigma, 4) for sigma in sigmas.values()})
    return trace


def numbers(steps: pd.DataFrame, name: str, digits: int) -> list[float | None]:
    """Rounded values of a column, as ``rounded`` has them."""
    return rounded(column(steps, name), digits)


def rounded(values: NDArray[np.float64], digits: int) -> list[float | None]:
    """Rounded values; None, which JSON can hold, for those not finite."""
    return [v if math.isfinite(v) else None for v in np.round(values, digits).tolist()]


def _percent(share: float) -> float:
    return round(100 * float(share), 2)


def _roads(viewed: list[dict[str, Any]], laps: pd.DataFrame) -> dict[str, float]:
    """Half-widths of the maps of the laps that can be viewed, by name."""
    half_widths = dict(zip(laps["map"], laps["half_width"], strict=True))
    return {str(lap["map"]): float(half_widths[lap["map"]]) for lap in viewed}


def road(name: str, half_width: float) -> dict[str, Any]:
    """Edges of the road of a map, closed, as JSON values."""
    track = Track(maps.load(name).centre_line, half_width)
    edges: dict[str, Any] = {"half_width": round(half_width, 3)}
    for side, edge in zip(("left", "right"), track.boundaries(), strict=True):
        closed = np.round(np.concatenate([edge, edge[:1]]), 2)
        edges[f"{side}_x"], edges[f"{side}_y"] = closed.T.tolist()
    return edges


def curves(rated: Foresight) -> dict[str, Any]:
    """Curves of what a sigma foresaw, as JSON values."""
    return {
        "kind": rated.kind,
        "auroc": rated.auroc if math.isfinite(rated.auroc) else None,
        "roc": [np.round(part, 4).tolist() for part in rated.roc],
        "risk_coverage": [np.round(part, 4).tolist() for part in rated.risk_coverage],
    }
