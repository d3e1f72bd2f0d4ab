"""The tables and sentences of the report, as HTML."""

import math
from html import escape
from typing import Any

import pandas as pd

from evaluation.foresight import ALARM_SHARE, Foresight
from evaluation.metrics import REGISTRY
from evaluation.summary import HEADLINE, shown

LAP_COLUMNS = (
    *("return", "completed", "clean_lap", "progress", "lap_time", "mean_speed"),
    *("lateral_rmse", "lateral_rmse_share", "lateral_max", "off_road_share", "departures"),
    *("steering_change", "epistemic_mean"),
)
DASH = "–"  # noqa: RUF001 - a dash, not a minus


def facts(laps: pd.DataFrame) -> str:
    """One line on what was driven."""
    tracks = laps["map"].nunique()
    renderers = " and ".join(sorted(laps["renderer"].unique())).replace("none", "no")
    perturbed = laps.loc[laps["severity"] > 0, ["perturbation", "severity"]].drop_duplicates()
    under = f", clean and under {len(perturbed)} perturbations" if len(perturbed) else ""
    seeds = ", ".join(str(seed) for seed in sorted(laps["seed"].unique()))
    return (
        f"{len(laps)} {'lap' if len(laps) == 1 else 'laps'} on "
        f"{tracks} {'track' if tracks == 1 else 'tracks'}, "
        f"{renderers} renderer, seed {seeds}{under}"
    )


def findings(summary: pd.DataFrame) -> str:
    """One sentence for each policy."""
    paragraphs = []
    for policy, own in summary.groupby("policy", sort=False):
        rows = {row["metric"]: row for row in own.to_dict("records")}
        done, reward = rows["completed"], rows["return"]
        laps = int(done["laps"])
        paragraphs.append(
            f'<p class="finding"><strong>{escape(str(policy))}</strong> completed '
            f"{round(done['mean'] * laps)} of {laps} laps "
            f"({100 * done['low']:.0f} to {100 * done['high']:.0f} % with 95 % confidence); "
            f"mean return {reward['mean']:.1f}{_between(reward)}, "
            f"worst tenth {reward['worst_decile']:.1f}.</p>"
        )
    return "\n".join(paragraphs)


def outcome(lap: "pd.Series[Any]") -> str:
    """How a lap went, in one sentence."""
    end = "completed" if lap["completed"] else f"not completed ({100 * lap['progress']:.0f} %)"
    time = "" if math.isnan(lap["lap_time"]) else f" in {lap['lap_time']:.2f} s"
    left = {0: "never left the road", 1: "left the road once"}
    times = left.get(lap["departures"], f"left the road {lap['departures']} times")
    names = lap["undefined"].split(",") if lap["undefined"] else []
    undefined = "; ".join(REGISTRY[name].label for name in names)
    return (
        f"{lap['policy']} on {lap['map']}: {end}{time}, {times}; return {lap['return']:.1f}, "
        f"{lap['steps']} steps.{f' Undefined on this lap: {undefined}.' if undefined else ''}"
    )


def summary_table(summary: pd.DataFrame) -> str:
    """Metrics by policies."""
    policies = list(summary["policy"].unique())
    head = "".join(f'<th scope="col">{escape(policy)}</th>' for policy in policies)
    rows = []
    for name in HEADLINE:
        own = summary[summary["metric"] == name].to_dict("records")
        cells = "".join(f"<td>{_summary_cell(row)}</td>" for row in own)
        rows.append(f'<tr><th scope="row">{_title(name)}</th>{cells}</tr>')
    return _table(f'<th scope="col">Metric</th>{head}', rows)


def difference_table(gaps: pd.DataFrame) -> str:
    """Paired differences, with a heading; nothing where there is one policy only."""
    if gaps.empty:
        return ""
    references = [escape(str(reference)) for reference in gaps["reference"].unique()]
    several = len(references) > 1
    names = list(gaps["metric"].unique())
    head = "".join(f'<th scope="col">{_title(name)}</th>' for name in names)
    rows = []
    for (policy, reference), own in gaps.groupby(["policy", "reference"], sort=False):
        compared = f"{policy} against {reference}" if several else policy
        cells = "".join(f"<td>{_gap(row)}</td>" for row in own.to_dict("records"))
        rows.append(f'<tr><th scope="row">{escape(str(compared))}</th>{cells}</tr>')
    table = _table(f'<th scope="col">{"Pair" if several else "Policy"}</th>{head}', rows)
    return (
        f"<h3>Paired differences{'' if several else ' from ' + references[0]}</h3>"
        '<p class="note">Same map, same seed, lap by lap; an interval that spans zero tells '
        "nothing.</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Paired differences">'
        f"{table}</div>"
    )


def lap_table(laps: pd.DataFrame, viewed: set[int]) -> str:
    """All laps in the order given; those in the viewer are buttons."""
    several = laps["policy"].nunique() > 1
    columns = [name for name in LAP_COLUMNS if laps[name].notna().any()]
    titles = ["Map", *(["Policy"] if several else []), *(_title(name) for name in columns)]
    head = "".join(
        f'<th scope="col"><button type="button">{title}</button></th>' for title in titles
    )
    rows = []
    for index, (_, lap) in enumerate(laps.iterrows()):
        name = escape(str(lap["map"]))
        if index in viewed:
            name = f'<button type="button" data-lap="{index}">{name}</button>'
        policy = escape(str(lap["policy"]))
        cells = f'<td class="text" data-value="{policy}">{policy}</td>' if several else ""
        cells += "".join(_lap_cell(lap[column], column) for column in columns)
        value = escape(str(lap["map"]))
        rows.append(
            f'<tr data-lap="{index}"><td class="text" data-value="{value}">{name}</td>{cells}</tr>'
        )
    return _table(head, rows)


def foresight_section(rated: dict[str, list[Foresight]]) -> str:
    """Table and places for the curves; a sentence where no policy states any uncertainty."""
    stated = {policy: kinds for policy, kinds in rated.items() if kinds[0].stated}
    silent = [escape(policy) for policy in rated if policy not in stated]
    note = (
        f'<p class="note">{", ".join(silent)}: no usable uncertainty stated.</p>' if silent else ""
    )
    if not stated:
        return note
    titles = (
        *("Policy", "Sigma of steer", "Rank correlation with the error of the next second"),
        *("AUROC, leaves the road within 1 s", "Departures", "Warned of"),
        *("Median lead time (s)", "Excess risk (0 best, 1 chance)"),
    )
    rows = [
        f'<tr><td>{escape(policy)}</td><td class="text">{one.kind}</td>'
        f"<td>{_number(one.rank_correlation)}</td><td>{_number(one.auroc)}</td>"
        f"<td>{one.departures}</td><td>{_number(100 * one.warned_share, ' %')}</td>"
        f"<td>{_number(one.lead_time)}</td><td>{_number(one.excess_risk)}</td></tr>"
        for policy, kinds in stated.items()
        for one in kinds
    ]
    table = _table("".join(f'<th scope="col">{title}</th>' for title in titles), rows)
    options = "".join(f"<option>{escape(policy)}</option>" for policy in stated)
    return (
        '<p class="note">All laps of a policy together. The alarm sounds where sigma is above its '
        f"{100 * (1 - ALARM_SHARE):.0f} % quantile on the road, on these very laps; a departure is "
        "warned of by an alarm in the two seconds before it, and counts as 0 s of lead where there "
        f"is none.</p>{note}"
        f'<div class="scroll" tabindex="0" role="region" aria-label="Foresight">{table}</div>'
        '<div class="controls"><label>Policy <select id="foresight-policy">'
        f"{options}</select></label></div>"
        '<div class="curves"><div id="roc" class="plot" role="img" aria-label="ROC of sigma for '
        'leaving the road within one second"></div><div id="risk" class="plot" role="img" '
        'aria-label="Risk against coverage"></div></div>'
    )


def definitions() -> str:
    """A term and its meaning for each metric."""
    return "\n".join(
        f"<dt>{_title(name)}</dt><dd><code>{name}</code>: {escape(_first_line(metric))}</dd>"
        for name, metric in REGISTRY.items()
    )


def _table(head: str, rows: list[str]) -> str:
    body = "\n".join(rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _title(name: str) -> str:
    metric = REGISTRY[name]
    return escape(f"{metric.label} ({metric.unit})" if metric.unit else metric.label)


def _first_line(metric: object) -> str:
    return (type(metric).__doc__ or "").splitlines()[0]


def _summary_cell(row: dict[Any, Any]) -> str:
    metric = REGISTRY[row["metric"]]
    middle = f"median {shown(row['median'], metric)}"
    if metric.better != "neither":
        middle += f" · worst tenth {shown(row['worst_decile'], metric)}"
    if row["defined"] == 0:
        return '<span class="muted">undefined</span>'
    if row["defined"] < row["laps"]:
        missing = int(row["laps"] - row["defined"])
        return f"undefined on {missing} of {row['laps']} laps<small>{middle}</small>"
    mean = shown(row["mean"], metric)
    interval = f" [{shown(row['low'], metric)}, {shown(row['high'], metric)}]"
    if math.isnan(row["low"]):
        interval = ""
    if metric.kind == "flag":
        return f"{mean}{interval}"
    spread = "" if math.isnan(row["std"]) else f"sd {shown(row['std'], metric)} · "
    return f"{mean}{interval}<small>{spread}{middle}</small>"


def _lap_cell(value: float | bool, name: str) -> str:
    metric = REGISTRY[name]
    if metric.kind == "flag":
        word = "yes" if value else '<span class="no">no</span>'
        return f'<td data-value="{int(value)}">{word}</td>'
    if math.isnan(value):
        return f'<td data-value="" class="muted" title="undefined on this lap">{DASH}</td>'
    return f'<td data-value="{value:.6g}">{shown(float(value), metric)}</td>'


def _gap(row: dict[Any, Any]) -> str:
    scale = 100.0 if REGISTRY[row["metric"]].kind != "number" else 1.0
    unit = " points" if scale == 100.0 else ""
    if math.isnan(row["difference"]):
        return '<span class="muted">undefined</span>'
    low, high = scale * row["low"], scale * row["high"]
    return f"{scale * row['difference']:+.2f}{unit} [{low:+.2f}, {high:+.2f}]"


def _between(row: dict[Any, Any]) -> str:
    return "" if math.isnan(row["low"]) else f" [{row['low']:.1f}, {row['high']:.1f}]"


def _number(value: float, unit: str = "") -> str:
    return f"{round(value, 2) + 0.0:.2f}{unit}" if math.isfinite(value) else DASH
