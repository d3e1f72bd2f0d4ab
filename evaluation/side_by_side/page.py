"""One HTML page with everything of a comparison in it, to open anywhere or send to anyone."""

import base64
import io
from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from evaluation.perturbations import CLEAN
from evaluation.side_by_side.figures import TITLES
from evaluation.side_by_side.measures import SUCCESS
from evaluation.side_by_side.shared_laps import SharedLaps
from evaluation.side_by_side.sources import Source
from evaluation.side_by_side.tables import name_of
from nsac_core.benchmarks.sheets import Sheet


def build(
    laps: SharedLaps,
    sources: Sequence[Source],
    sheets: Sequence[Sheet],
    figures: dict[str, Figure],
) -> str:
    """The page.

    Args:
        laps: What is compared.
        sources: Where it comes from.
        sheets: Tables, in order.
        figures: By name, in order.
    """
    return Template(_file("side_by_side.html")).substitute(
        css=_file("report.css"),
        facts=escape(facts(laps, sources)),
        findings="\n".join(f'<p class="finding">{escape(line)}</p>' for line in findings(laps)),
        figures="\n".join(_figure(name, figure) for name, figure in figures.items()),
        tables="\n".join(sheet_table(sheet) for sheet in sheets),
        sources=_sources(sources),
    )


def facts(laps: SharedLaps, sources: Sequence[Source]) -> str:
    """One line on what is compared."""
    tracks, seeds = laps.laps["map"].nunique(), laps.laps["seed"].nunique()
    left = f"; {laps.left_out} laps that not all drove are left out" if laps.left_out else ""
    return (
        f"{len(laps.laps)} laps of {_number(len(laps.policies), 'policy', 'policies')} on "
        f"{_number(tracks, 'track')} with {_number(seeds, 'seed')}, "
        f"{sources[0].identity['renderer']} renderer{left}."
    )


def findings(laps: SharedLaps) -> list[str]:
    """A sentence for each policy: clean success, and where it is worst."""
    lines = []
    for policy in laps.policies:
        rates = {
            condition: laps.of(policy, condition)["success"].astype(float).mean()
            for condition in laps.conditions
            if len(laps.of(policy, condition))
        }
        line = policy
        if CLEAN in rates:
            found = SUCCESS.of(laps, policy, CLEAN, np.random.default_rng(0))
            line += (
                f" succeeded on {100 * found.estimate:.1f} % of its clean laps "
                f"({100 * found.low:.0f} to {100 * found.high:.0f} % with 95 % confidence)"
            )
        worst = min(rates, key=lambda condition: rates[condition])
        if worst != CLEAN and len(rates) > 1:
            joint = ", and" if CLEAN in rates else " succeeded"
            line += f"{joint} least, on {100 * rates[worst]:.1f} %, under {name_of(worst)}"
        lines.append(f"{line}.")
    return lines


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _file(name: str) -> str:
    return resources.files("evaluation").joinpath(name).read_text(encoding="utf-8")


def _figure(name: str, figure: Figure) -> str:
    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "nsac-evaluate"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    content = base64.b64encode(buffer.getvalue()).decode()
    words = escape(TITLES[name])
    return (
        f'<figure><img alt="{words}" src="data:image/svg+xml;base64,{content}">'
        f"<figcaption>{words}.</figcaption></figure>"
    )


def sheet_table(sheet: Sheet) -> str:
    """A table under its caption, as HTML."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in sheet.head)
    rows = []
    for row in sheet.rows:
        first, *rest = (f if isinstance(f, str) else f.markdown() for f in row)
        cells = "".join(f"<td>{escape(field)}</td>" for field in rest)
        rows.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
    caption = escape(sheet.caption)
    return (
        f"<h3>{caption}</h3>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _sources(sources: Sequence[Source]) -> str:
    items = []
    for source in sources:
        policies = "".join(
            f"<li>{escape(label)}: <code>{digest[:16]}</code></li>"
            for label, digest in source.identity["policies"].items()
        )
        items.append(f"<li><code>{escape(str(source.folder))}</code><ul>{policies}</ul></li>")
    return f"<ul>{''.join(items)}</ul>"
