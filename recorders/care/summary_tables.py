"""A summary on the screen."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from rich.console import JustifyMethod
from rich.table import Table

from recorders.care.summary import Summary


def fact_table(summary: Summary) -> Table:
    """The facts, one a row."""
    table = Table(title=summary.facts["data_set"], show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in _facts(summary.facts):
        if value:
            table.add_row(name, value)
    return table


def action_table(summary: Summary) -> Table:
    """Labels of each action over all steps."""
    table = Table(title="Actions (the expert's labels)", title_justify="left")
    for name in ("", "mean", "std", "largest |.|", "exactly 0"):
        table.add_column(name, justify="right" if name else "left")
    for name, own in summary.facts["actions"].items():
        numbers = (f"{own[key]:.3f}" for key in ("mean", "std", "largest"))
        table.add_row(name, *numbers, f"{own['zero_share']:.0%}")
    return table


def episode_table(summary: Summary) -> Table:
    """A row an episode."""
    table = Table(title="Episodes", title_justify="left")
    heads = ("#", "map", "steps", "return", "outcome", "progress", "disturbed", "learner")
    for head in heads:
        justify: JustifyMethod = "left" if head in ("map", "outcome") else "right"
        table.add_column(head, justify=justify, overflow="fold", no_wrap=head != "map")
    for row in summary.episodes.to_dict("records"):
        table.add_row(
            str(row["episode"]),
            *(_shown(row[name], form) for name, form in _FORMS.items()),
            style="bold red" if row["episode"] in summary.test else None,
        )
    return table


_FORMS = {
    "map": "",
    "total_steps": ".0f",
    "return": ".1f",
    "outcome": "",
    "progress": ".3f",
    "disturbed": ".0%",
    "learner": ".0%",
}
"""How each column is written."""


def _shown(value: Any, form: str) -> str:  # noqa: ANN401 - a cell
    return "" if value is None or pd.isna(value) else format(value, form)


def _facts(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "made by", facts["made_by"]
    yield "recorded as", ", ".join(facts["recorded_as"])
    yield "folder", f"{facts['folder']} ({facts['megabytes']:.1f} MB)"
    yield "episodes", f"{facts['total_episodes']} on {facts['maps']} maps"
    minutes = 60 * facts["hours"]
    time = f"{facts['hours']:.1f} hours" if minutes >= 100 else f"{minutes:.1f} minutes"
    yield "steps", f"{facts['total_steps']} ({time} of driving)"
    yield "expert", ", ".join(facts["drivers"])
    yield "learner", ", ".join(facts["learners"])
    yield "renderer", ", ".join(facts["renderers"])
    outcomes = ", ".join(f"{name} {count}" for name, count in facts["outcomes"].items())
    yield "laps complete", f"{facts['laps_complete']} (outcomes: {outcomes})"
    spread = facts["return"]
    if spread:
        words = ("mean", "median", "worst", "best")
        yield "return", ", ".join(f"{word} {spread[word]:.1f}" for word in words)
    for name, how in (("disturbed", "disturbed"), ("learner", "driven by the learner")):
        share = facts[f"{name}_share"]
        if share is not None:
            yield f"steps {how}", f"{share:.1%}"
