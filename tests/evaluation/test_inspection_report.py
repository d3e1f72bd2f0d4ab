import base64
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from evaluation import drive_laps
from evaluation.inspect_cli import main
from evaluation.inspection.report.evidence import Evidence
from evaluation.inspection.report.figures import equal_time_distance, figures
from evaluation.inspection.report.page import build
from evaluation.inspection.report.rerun_file import save_rerun
from evaluation.inspection.report.sprites import sprites
from evaluation.inspection.report.streams import alarms, notes, stream, traces, usual_level
from evaluation.inspection.seen_laps import SeenLap
from evaluation.metrics import lap_table
from policies import PolicyError

MakeLap = Callable[..., pd.DataFrame]


@pytest.fixture(scope="module")
def document(inspected: list[Evidence]) -> str:
    return build(inspected, {"seed": 0})


def embedded(document: str, name: str) -> dict[str, Any]:
    found = re.search(rf'id="{name}">(.*?)</script>', document, re.DOTALL)
    assert found
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def picture(sheets: dict[str, Any], number: int) -> NDArray[np.uint8]:
    """One picture cut out of its sheet by OpenCV, BGR."""
    per_sheet = sheets["columns"] * sheets["rows"]
    content = base64.b64decode(sheets["sheets"][number // per_sheet].split(",")[1])
    sheet = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR)
    assert sheet is not None
    row, column = divmod(number % per_sheet, sheets["columns"])
    height, width = sheets["height"], sheets["width"]
    cut = sheet[row * height : (row + 1) * height, column * width : (column + 1) * width]
    return np.asarray(cut, dtype=np.uint8)


@pytest.mark.parametrize("colours", [(), (3,)])
def test_sheets_hold_every_frame_to_the_pixel(colours: tuple[int, ...]) -> None:
    frames = np.random.default_rng(0).integers(0, 256, (150, 12, 10, *colours), dtype=np.uint8)
    sheets = sprites(frames, 10_000_000)
    assert sheets["stride"] == 1
    for step in (0, 17, 127, 128, 149):
        expected = frames[step, ..., ::-1] if colours else frames[step][..., None]
        assert (picture(sheets, step) == expected).all()


def test_sheets_that_would_be_too_large_hold_every_nth_frame() -> None:
    frames = np.random.default_rng(0).integers(0, 256, (100, 20, 20), dtype=np.uint8)
    sheets = sprites(frames, 20_000)
    assert sum(map(len, sheets["sheets"])) <= 20_000
    stride = sheets["stride"]
    assert stride > 1
    assert (picture(sheets, 5)[..., 0] == frames[5 * stride]).all()


def test_nothing_is_fetched(document: str) -> None:
    references: list[str] = []

    class References(HTMLParser):
        def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
            references.extend(v or "" for k, v in attrs if k in ("src", "href", "action"))

    References().feed(document)
    assert set(references) == {"#step", "data:,"}


def test_names_cannot_break_out_of_the_page(inspected: list[Evidence]) -> None:
    evil = "</script><b>&evil"
    lap = inspected[1].lap
    steps = lap.steps.assign(policy=evil)
    document = build([Evidence(type(lap)(evil, 0, lap.map, lap.folder, None, steps))], {})
    assert evil not in document
    assert embedded(document, "data")["policies"] == [evil]


def test_the_page_says_what_went_wrong_on_a_lap(inspected: list[Evidence]) -> None:
    whole, crashed, unsure = map(notes, inspected)
    assert whole == []
    assert crashed[0] == (
        "This lap ended after 3 steps (0.06 s) and was not completed: the car left the playfield."
    )
    assert "This driver states no uncertainty." in crashed
    assert "time was up" in unsure[0]
    assert unsure[1].startswith("The uncertainty is not a number (NaN) at every step")
    assert unsure[2] == "Not recorded of this lap: saliency, neuron traces."


def test_sigma_that_is_nan_at_some_steps_keeps_the_others(make_lap: MakeLap) -> None:
    sigma = np.where(np.arange(60) < 20, np.nan, 0.2)
    lap = make_lap(60, epistemic_steer=sigma, terminated=False)
    document = build([Evidence(_seen(lap))], {})
    found = embedded(document, "data")["laps"][0]
    assert found["epistemic_steer"][18:22] == [None, None, 0.2, 0.2]
    assert "at 20 of 60 steps" in found["notes"][1]


def _seen(steps: pd.DataFrame) -> SeenLap:
    return SeenLap("p", 0, "seed:42", Path("seen"), None, steps)


def test_the_alarm_sounds_on_the_road_above_the_usual_level(inspected: list[Evidence]) -> None:
    steps = inspected[0].lap.steps
    # 10 of 300 steps, fewer than 5 % of them, are more uncertain than the rest.
    level = usual_level([steps])
    assert level == pytest.approx(np.hypot(0.1, 0.01))
    assert alarms(steps, level).tolist() == list(range(140, 150))
    found = stream(inspected[0], lap_table(steps).iloc[0], level)
    assert found["departures"] == [170]
    assert found["coming"][130] == pytest.approx(
        np.abs(np.sin(np.arange(131, 181) / 30)).max(), abs=0.01
    )


def test_neurons_are_grouped(inspected: list[Evidence]) -> None:
    found = traces(inspected[0])
    assert found["groups"] == {"means": ["phi"], "inter": [f"inter_{i:02d}" for i in range(6)]}
    assert found["values"]["phi"][9] == 0.5403  # cos 1
    few = traces(inspected[0], room=3)
    assert (few["left_out"], list(few["values"])) == (["inter"], ["phi"])


@pytest.mark.slow
def test_a_long_lap_that_does_not_compress_stays_below_30_mb(make_lap: MakeLap) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (1000, 84, 84), dtype=np.uint8)
    steps = make_lap(1000, terminated=False, epistemic_steer=noise[:, 0, 0] / 1000)
    lap = SeenLap("p", 0, "seed:42", Path("seen"), noise, steps)
    neurons = {f"inter_{i:03d}": noise[:, i % 84, i // 84] / 255 - 0.5 for i in range(600)}
    document = build([Evidence(lap, noise, None, pd.DataFrame(neurons))], {})
    assert len(document) < 30_000_000


def test_equal_time_distance_measures_speed(make_lap: MakeLap) -> None:
    ahead, behind = make_lap(50), make_lap(80)
    behind["x"] = ahead["x"].iloc[0] + 0.9 * (behind["x"] - behind["x"].iloc[0])
    gap = equal_time_distance(behind, ahead)
    assert gap == pytest.approx(0.1 * np.arange(50))  # one unit a step against 0.9


def test_figures_of_laps_that_are_short_or_unsure(inspected: list[Evidence]) -> None:
    steps = [evidence.lap.steps for evidence in inspected]
    found = figures(steps)
    assert list(found) == ["figure_8a", "figure_8b", "figure_8c", "uncertainty"]
    assert len(found["figure_8c"].axes) == 4  # a panel a policy, and the colours
    lines = found["figure_8b"].axes[1].lines
    assert [len(np.asarray(line.get_xydata())) for line in lines] == [300, 3, 120]
    alone = figures([steps[1].iloc[:1]])
    assert list(alone) == ["figure_8a", "figure_8b", "figure_8c"]
    assert [len(f["figure_8b"].axes) for f in (found, alone)] == [3, 2], "nobody to be far from"
    for figure in found.values():
        figure.canvas.draw()


def test_rerun_reads_back_what_was_driven(inspected: list[Evidence], tmp_path: Path) -> None:
    reader = pytest.importorskip("rerun.chunk", reason="Rerun's SDK is not installed")
    save_rerun(inspected, tmp_path / "laps.rrd")
    rows: dict[str, list[Any]] = {}
    for chunk in reader.RrdReader(tmp_path / "laps.rrd").stream():
        if "step" in chunk.timeline_names:
            table = chunk.to_record_batch()
            values = next(
                n
                for n in table.schema.names
                if n.split(":")[-1] in ("scalars", "positions", "blob")
            )
            rows.setdefault(chunk.entity_path, []).extend(
                zip(table["step"].to_pylist(), table[values].to_pylist(), strict=True)
            )
    steps = inspected[0].lap.steps
    assert sorted(rows["/nsac-0/decision/steer/action"])[7] == (7, [pytest.approx(np.sin(7 / 20))])
    assert len(rows["/nsac-0/traces/inter_03"]) == 300
    assert len(rows["/nsac-0/saliency"]) == 300
    car = sorted(rows[r"/seed\:42/nsac-0/car"])[299][1][0]
    assert car == [pytest.approx(steps["x"].iloc[299]), 0.0]
    png = np.array(sorted(rows["/ppo-0/frame"])[2][1][0], dtype=np.uint8)
    assert np.unique(np.asarray(cv2.imdecode(png, cv2.IMREAD_GRAYSCALE))).tolist() == [2]


def test_a_driver_of_nan_sigma_is_driven_to_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    policy = "closed_loop_policies:Unsure"
    with pytest.raises(PolicyError, match="steer of car 0 is nan"):
        drive_laps(policy, ["seed:42"], max_steps=2)
    out = tmp_path / "run"
    main(
        [
            "report",
            "--policy",
            policy,
            "--map",
            "seed:42",
            "--out",
            str(out),
            "--max-steps",
            "3",
            "--renderer",
            "fast",
        ]
    )
    assert f"report: {out / 'seen' / 'report.html'}" in capsys.readouterr().out
    document = (out / "seen" / "report.html").read_text(encoding="utf-8")
    (lap,) = embedded(document, "data")["laps"]
    assert "NaN" in " ".join(lap["notes"])
    assert embedded(document, "frames-0")["width"] == 84
    assert (out / "figures" / "figure_8b.svg").is_file()
