import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluation import report
from evaluation.metrics import lap_table

MakeLap = Callable[..., pd.DataFrame]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
NASTY = "</script><b>&evil"


@pytest.fixture
def steps(make_lap: MakeLap) -> pd.DataFrame:
    """A long lap, one that crashed after three steps, one with NaN uncertainty."""
    n = np.arange(900)
    complete = make_lap(
        900, reward=1.0, lap_complete=n > 880, epistemic_steer=0.1 + n / 1000, aleatoric_steer=0.2
    ).assign(lateral_error=np.sin(n / 30), wheels_off_road=np.where(n // 20 == 20, 4, 0))
    crashed = make_lap(3, lap=1, reward=-30.0, terminated=True)
    unsure = make_lap(60, policy=NASTY, epistemic_steer=np.nan)
    other = make_lap(60, policy=NASTY, lap=1)
    return pd.concat([complete, crashed, unsure, other], ignore_index=True)


@pytest.fixture
def document(steps: pd.DataFrame) -> str:
    return report.build(lap_table(steps), steps, {"seed": 0})


def payload(document: str) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', document, re.DOTALL)
    assert found
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def test_nothing_is_fetched_and_it_stays_small(document: str) -> None:
    references: list[str] = []

    class References(HTMLParser):
        def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
            references.extend(v or "" for k, v in attrs if k in ("src", "href", "action"))

    References().feed(document)
    assert set(references) == {"#viewer", "data:,"}
    assert len(document) < 8_000_000


def test_laps_come_worst_first_and_are_thinned(document: str) -> None:
    laps = payload(document)["laps"]
    assert [len(lap["x"]) for lap in laps] == [3, 60, 60, 450]
    assert "not completed" in laps[0]["outcome"]
    assert "Lap time" in laps[0]["outcome"]
    long = laps[-1]
    assert long["epistemic_steer"][:3] == [0.1, 0.102, 0.104]
    assert long["time"][1] - long["time"][0] == pytest.approx(2 / 50)


def test_nan_uncertainty_becomes_null_and_is_said(document: str) -> None:
    unsure = next(lap for lap in payload(document)["laps"] if "epistemic_steer" in lap)
    assert set(unsure["epistemic_steer"]) == {None}
    assert "no usable uncertainty stated" in document


def test_names_cannot_break_out_of_the_page(document: str) -> None:
    assert NASTY not in document
    assert payload(document)["policies"][1] == NASTY


def test_the_best_laps_are_left_out_where_too_many_would_not_fit(
    steps: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MAX_TRACE_BYTES", 20_000)
    document = report.build(lap_table(steps), steps, {})
    assert len(payload(document)["laps"]) == 3
    assert "The 1 best of 4 laps are not in the viewer" in document


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium to open the report with")
def test_a_browser_draws_every_plot_without_an_error(document: str, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(document, encoding="utf-8")
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--virtual-time-budget=5000", "--no-first-run", "--disable-background-networking"]
    done = subprocess.run(
        [*command, (tmp_path / "report.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in done.stderr
    for plot in ("returns", "map", "along", "roc", "risk"):
        assert re.search(rf'id="{plot}"[^>]*>(?:(?!<section).)*?main-svg', done.stdout, re.DOTALL)
    assert 'aria-current="true"' in done.stdout
