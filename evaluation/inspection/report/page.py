"""The page: everything of the inspected laps in one HTML file, to open anywhere or send."""

import json
from collections.abc import Sequence
from html import escape
from string import Template
from typing import Any

import pandas as pd
from plotly.offline import get_plotlyjs

from evaluation import report, tables
from evaluation.foresight import foresight
from evaluation.inspection.report.evidence import Evidence
from evaluation.inspection.report.sprites import sprites
from evaluation.inspection.report.streams import MAX_TRACES, stream, traces, usual_level
from evaluation.metrics import lap_table
from evaluation.side_by_side.page import sheet_table
from nsac_core.benchmarks.sheets import Sheet

PICTURE_BYTES = 16_000_000
"""Of all laps' pictures; with plotly, numbers and traces the page stays below 30 MB."""
TRACES = 1500
"""Columns of traces that the page holds of all laps."""
SALIENCY_QUALITY = 60
"""Of WebP: a saliency map is smooth, and its numbers are in the run's own files."""
SCRIPTS = ("pictures.js", "map.js", "along.js", "player.js")


def build(
    laps: Sequence[Evidence], configuration: dict[str, Any], sheets: Sequence[Sheet] = ()
) -> str:
    """The report as one self-contained HTML document.

    Args:
        laps: What is shown, in the order of the lap chooser; at least one.
        configuration: What was run, as JSON values.
        sheets: Tables to show below the laps.
    """
    steps = pd.concat([evidence.lap.steps for evidence in laps], ignore_index=True)
    rows = lap_table(steps)
    groups = dict(iter(steps.groupby("policy", sort=False)))
    rated = {str(policy): foresight(own) for policy, own in groups.items()}
    levels = {
        policy: usual_level([e.lap.steps for e in laps if e.lap.policy == policy])
        for policy in rated
    }
    streams = [
        {"id": i, **stream(evidence, rows.iloc[i], levels[evidence.lap.policy])}
        for i, evidence in enumerate(laps)
    ]
    half_widths = dict(zip(rows["map"], rows["half_width"], strict=True))
    data = {
        "policies": list(rated),
        "laps": streams,
        "maps": {str(name): report.road(str(name), half) for name, half in half_widths.items()},
        "foresight": {policy: [report.curves(one) for one in own] for policy, own in rated.items()},
    }
    title = f"{', '.join(rated)} on {', '.join(map(str, half_widths))}"
    return Template(report.packaged("inspection/report/page.html")).substitute(
        title=escape(title),
        css=report.packaged("report.css") + report.packaged("inspection/report/page.css"),
        js="\n".join(
            report.packaged(name)
            for name in (
                *("page.js", "foresight.js"),
                *(f"inspection/report/{script}" for script in SCRIPTS),
            )
        ),
        plotly=get_plotlyjs(),
        facts=tables.facts(rows),
        laps=tables.lap_table(rows, set(range(len(rows)))),
        foresight=tables.foresight_section(rated),
        tables="\n".join(sheet_table(sheet) for sheet in sheets),
        configuration=escape(json.dumps(configuration, indent=1)),
        data=_json(data),
        recordings="\n".join(_recordings(i, e, len(laps)) for i, e in enumerate(laps)),
    )


def _recordings(number: int, evidence: Evidence, laps: int) -> str:
    """Pictures and traces of a lap, each in an element that is read only when the lap is shown."""
    limit = PICTURE_BYTES // (2 * laps)
    room = min(MAX_TRACES, TRACES // laps)
    parts: dict[str, Any] = {"traces": traces(evidence, room)}
    if evidence.lap.frames is not None:
        parts["frames"] = sprites(evidence.lap.frames, limit)
    if evidence.saliency is not None:
        parts["saliency"] = sprites(evidence.saliency, limit, SALIENCY_QUALITY)
    return "\n".join(
        f'<script type="application/json" id="{name}-{number}">{_json(part)}</script>'
        for name, part in parts.items()
    )


def _json(values: object) -> str:
    """JSON that cannot end the element that holds it."""
    return json.dumps(values, allow_nan=False, separators=(",", ":")).replace("</", "<\\/")
