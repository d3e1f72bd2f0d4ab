"""A summary on the screen."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from maps.screen_table import ScreenTable
from recorders.care.summary import Summary


def fact_table(summary: Summary) -> ScreenTable:
    """The facts, one a row."""
    rows = [fact for fact in _facts(summary.facts) if fact[1]]
    return ScreenTable(["", ""], rows, summary.facts["data_set"], words=(0, 1))


def action_table(summary: Summary) -> ScreenTable:
    """Labels of each action over all steps."""
    rows = [
        [name, *(f"{own[key]:.3f}" for key in _NUMBERS), f"{own['zero_share']:.0%}"]
        for name, own in summary.facts["actions"].items()
    ]
    head = ["", "mean", "std", "largest |.|", "exactly 0"]
    return ScreenTable(head, rows, "Actions (the expert's labels)")


def episode_table(summary: Summary) -> ScreenTable:
    """A row an episode; those on test tracks are red."""
    episodes = summary.episodes.to_dict("records")
    rows = [
        [str(row["episode"]), *(_shown(row[name], form) for name, form in _FORMS.items())]
        for row in episodes
    ]
    test = [number for number, row in enumerate(episodes) if row["episode"] in summary.test]
    head = ["#", "map", "steps", "return", "outcome", "progress", "disturbed", "learner"]
    words = [head.index("map"), head.index("outcome")]
    return ScreenTable(head, rows, "Episodes", words, dict.fromkeys(test, "bold red"))


_NUMBERS = ("mean", "std", "largest")

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
