"""What is printed on a terminal of 80 columns: no word is broken, and no line too long."""

import io
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

import maps
from drive.carracing.regions import Region
from drive.udacity.bridge import Status
from drive.udacity.faults import CAUSES
from drive.udacity.reply_times import ReplySpeed
from evaluation.inspection.correlations import KNOWN
from evaluation.inspection.saliency import scorecard
from evaluation.inspection.trace_study import _silenced_sheet, sheets_of
from evaluation.metrics import lap_table
from evaluation.side_by_side.tables import screen
from evaluation.summary import screen_table, summarise
from evaluation.udacity import screen as live
from maps.cli import main as list_maps
from maps.screen_table import ScreenTable
from nsac_core.benchmarks.sheets import Number, Sheet
from recorders.care.summary import Summary
from recorders.care.summary_tables import action_table, episode_table, fact_table

COLUMNS = 80
MakeLap = Callable[..., pd.DataFrame]


def printed(*shown: RenderableType) -> list[str]:
    """The lines on the terminal."""
    console = Console(file=io.StringIO(), width=COLUMNS, highlight=False)
    for one in shown:
        console.print(one)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def assert_unbroken(lines: list[str], texts: Iterable[str]) -> None:
    """Each word of the texts is there, whole."""
    assert all(len(line) <= COLUMNS for line in lines)
    there = {word for line in lines for word in line.strip("│┃").split()}
    assert {word for text in texts for word in text.split()} <= there


def assert_whole(shown: ScreenTable) -> None:
    """Each word and each number of a table is there, whole."""
    lines = printed(shown)
    assert_unbroken(
        lines, [shown.title, *shown.head, *(cell for row in shown.rows for cell in row)]
    )
    numbers = {
        line
        for row in shown.rows
        for column, cell in enumerate(row)
        if column not in shown.words
        for line in cell.splitlines()
    }
    assert all(any(number in line for line in lines) for number in numbers)


word = st.text(st.characters(categories=("Lu", "Ll", "Nd", "Po")), min_size=1, max_size=36)
row = st.tuples(word, *[st.lists(word, max_size=2).map(" ".join)] * 9)


@given(st.lists(row, max_size=3), row, st.sets(st.integers(0, 9)))
def test_any_table_is_whole(
    rows: list[tuple[str, ...]], head: tuple[str, ...], words: set[int]
) -> None:
    narrow = [
        [cell if column in words else cell[:36].strip() for column, cell in enumerate(row)]
        for row in rows
    ]
    assert_whole(ScreenTable(head, narrow, words=words))


def test_what_has_no_room_follows_below() -> None:
    head = ["name", *(f"column {n}" for n in range(12))]
    lines = printed(ScreenTable(head, [["first", *["0.1234567"] * 12]]))
    assert [line.split()[0] for line in lines if "first" in line or "name" in line] == [
        *("name", "first"),
        *("name", "first"),
    ]


def test_a_word_that_no_terminal_has_room_for_is_broken_and_nothing_else() -> None:
    lines = printed(ScreenTable(["name", "lap"], [["x" * 100, "1234"]]))
    assert max(map(len, lines)) == COLUMNS
    assert "".join(lines).count("x") == 100
    assert any(line.endswith("1234") for line in lines)


def test_traces_of_an_ensemble() -> None:
    names = ["query_centroid", "member_1_ou_mean", *(f"member_1_command_{n}" for n in range(12))]
    rng = np.random.default_rng(0)
    scores = {name: rng.uniform(-1, 1, len(names)) for name in KNOWN}
    sides = {name: rng.random(len(names)) for name in ("left", "straight", "right")}
    rated = pd.DataFrame({"trace": names, "std": 0.005, **scores, **sides})
    rated["neuron"] = [name[-1].isdigit() for name in names]
    tables = [screen(sheet) for sheet in sheets_of("deep_ensemble_carracing", rated)]
    for table in tables:
        assert_whole(table)
        assert sum("───" in line for line in printed(table)) == 1  # of one part


def test_silenced_neurons() -> None:
    laps = {
        "lateral_rmse": 1.234,
        "intact_lateral_rmse": 1.0,
        "return": -10.0,
        "intact_return": 933.2,
    }
    names = {"policy": "nsac_carracing_robust", "chosen": "least", "neuron": "command_11"}
    silenced = pd.DataFrame([{**names, **laps, "completed": True}] * 10)
    known = pd.DataFrame(
        [{"policy": "nsac_carracing_robust", "trace": "command_11", "steering": -0.123}]
    )
    assert_whole(screen(_silenced_sheet(silenced, known)))


def test_saliency() -> None:
    rows = [
        {
            "policy": "nsac_carracing_robust",
            "kind": kind,
            "measure": measure,
            "item": item,
            "value": 1 / 3,
        }
        for kind in ("", "attention", "visual_backprop", "gradient", "aimless")
        for measure in ("area", "share", "shuffled_share", "deletion", "insertion", "blank")
        for item in (region.label for region in Region)
    ]
    for sheet in scorecard.sheets(pd.DataFrame(rows)):
        assert_whole(screen(sheet))


def test_runs_side_by_side() -> None:
    policies = [f"nsac_carracing_robust, seed {n}" for n in range(4)]
    cells = ["99.0 [94.6, 99.8]"] * 4
    sheet = Sheet(
        "success", "Success, % [95 % interval]", ["condition", *policies], [["blur:5", *cells]]
    )
    assert_whole(screen(sheet))
    assert_whole(screen(Sheet("n", "Numbers.", ["", "n"], [["one", Number(0.00012, digits=-2)]])))


@pytest.mark.parametrize("policies", [1, 2, 9])
def test_the_summary_of_an_evaluation(policies: int, make_lap: MakeLap) -> None:
    laps = lap_table(make_lap(50, lap_complete=np.arange(50) >= 40))
    own = [laps.assign(policy=f"nsac_carracing_robust-{n}") for n in range(policies)]
    assert_whole(screen_table(summarise(pd.concat(own))))


def test_a_data_set() -> None:
    number = {"mean": -0.123, "std": 0.123, "largest": 1.0, "zero_share": 0.123}
    spread = dict.fromkeys(("mean", "median", "worst", "best"), -123.4)
    names = {"recorded_as": ["carracing/first-v0"], "drivers": ["privileged"], "learners": []}
    facts: dict[str, Any] = {
        **names,
        "data_set": "carracing/privileged-v0",
        "made_by": "nsac-record dagger",
        "folder": "/home/somebody/.minari/datasets/carracing/first-v0",
        "megabytes": 1234.5,
        "total_episodes": 1000,
        "maps": 1000,
        "hours": 12.3,
        "total_steps": 1_000_000,
        "renderers": ["exact"],
        "outcomes": {"complete": 990, "time": 5, "left the playfield": 5},
        "laps_complete": 990,
        "return": spread,
        "disturbed_share": 0.123,
        "learner_share": 0.5,
        "actions": dict.fromkeys(("steer", "gas", "brake"), number),
    }
    shares = {"progress": 0.123, "disturbed": 0.5, "learner": 0.123}
    lap = {"total_steps": 1000, "return": -123.4, "outcome": "complete", **shares}
    episodes = pd.DataFrame([{"episode": 1000, "map": "seed:123456789", **lap}])
    summary = Summary(facts, episodes, test=[1000])
    assert_whole(fact_table(summary))
    assert str(facts["folder"]) in "".join(printed(fact_table(summary)))
    assert_whole(action_table(summary))
    assert_whole(episode_table(summary))


def test_a_drive_of_the_simulator() -> None:
    status = Status(
        1, ReplySpeed(3, 14.96, 0.0123, 0.0456), None, None, dict.fromkeys(CAUSES, 12345)
    )
    shown = live.screen(status, "nsac-udacity", "127.0.0.1:4567")
    assert_unbroken(printed(shown), [*CAUSES, *CAUSES.values(), "12345"])


def test_the_maps(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    list_maps(["list"])
    lines = capsys.readouterr().out.splitlines()
    assert_unbroken(lines, [maps.load(name).origin for name in maps.names()])
