"""The report in headless Chromium: what a person does with it, and what must then be seen."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.inspection.report.evidence import Evidence
from evaluation.inspection.report.page import build

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium to open the report with"),
]
LEVEL = "document.querySelector('.picture').getContext('2d').getImageData(0, 0, 1, 1).data[0]"
ROW = "[...document.querySelector('.overlay').getContext('2d').getImageData(0, 40, 84, 1).data]"
UNNAMED = """[...document.querySelectorAll('button, select, input, [role=img]')]
.filter((e) => !(e.labels?.length || e.ariaLabel || e.textContent.trim()))
.map((e) => e.outerHTML)"""
PATIENCE = 120_000  # ms, on a busy machine


@pytest.fixture(scope="module")
def report(inspected: list[Evidence], tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(build(inspected, {"seed": 0}), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """The opened report, and what was complained of and fetched."""

    def __init__(self, chromium: Any, report: str, **context: Any) -> None:  # noqa: ANN401
        self.faults: list[str] = []
        self.fetched: list[str] = []
        self.page = chromium.new_context(**context).new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("request", lambda request: self.fetched.append(request.url))
        self.page.goto(report, timeout=PATIENCE)
        self.page.wait_for_selector("html[data-complete]", state="attached")

    def _heard(self, message: Any) -> None:  # noqa: ANN401
        if message.type in ("error", "warning"):
            self.faults.append(message.text)


@pytest.fixture(scope="module")
def desk(chromium: Any, report: str) -> Opened:  # noqa: ANN401
    return Opened(chromium, report)


@pytest.fixture
def page(desk: Opened) -> Iterator[Any]:
    """The report at the start of the first lap; afterwards no fault, and nothing from outside."""
    desk.page.select_option("#along-by", "time")
    desk.page.evaluate("choose(0, 0)")
    yield desk.page
    assert desk.faults == []
    assert {url.split(":")[0] for url in desk.fetched} <= {"file", "data"}


def step(page: Any) -> int:  # noqa: ANN401
    return int(page.input_value("#step"))


def test_the_slider_moves_everything(page: Any) -> None:  # noqa: ANN401
    def seen() -> tuple[Any, ...]:
        return (
            page.evaluate("document.querySelector('.car.chosen').style.transform"),
            page.evaluate("byId('cursor').style.transform"),
            page.inner_html("#gauges"),
            page.inner_text("#labels"),
            page.inner_text("#readout"),
        )

    before = seen()
    page.fill("#step", "137")
    page.wait_for_function(f"{LEVEL} === 137")  # once the second sheet has been decoded
    row = page.evaluate(ROW)
    assert int(np.argmax(row[3::4])) == 137 % 84  # where the overlay is least transparent
    assert page.get_attribute("#step", "aria-valuetext") == "step 137 of 299, 2.76 s"
    assert all(a != b for a, b in zip(before, seen(), strict=True))
    assert "\N{MINUS SIGN}0.99" in page.inner_text("#labels")  # sin(137 / 30)


def test_keys_move_and_play(page: Any) -> None:  # noqa: ANN401
    page.focus("#step")
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert step(page) == 11
    page.keyboard.press("d")
    assert step(page) == 170  # where the car leaves the road
    page.keyboard.press("End")
    assert step(page) == 299
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    page.wait_for_function("Number(byId('step').value) > 20")
    page.keyboard.press("Space")
    rested = step(page)
    page.wait_for_timeout(200)
    assert step(page) == rested
    assert page.get_attribute("#play", "aria-label") == "Play"


def test_laps_are_chosen_and_say_what_went_wrong(page: Any) -> None:  # noqa: ANN401
    page.fill("#step", "200")
    page.select_option("#lap", "1")
    assert page.get_attribute("#step", "max") == "2"
    assert "ended after 3 steps" in page.inner_text("#notes")
    assert "has ended" not in page.inner_text("#frames figure")
    page.focus("#lap")  # where keys are the chooser's own
    page.keyboard.press("]")
    assert page.input_value("#lap") == "1"
    page.focus("#play")
    page.keyboard.press("]")
    assert "NaN" in page.inner_text("#notes")
    assert page.inner_text("#frames figure .name") == "custom:made"
    page.fill("#step", "100")
    assert "has ended" in page.inner_text("#frames button[data-lap='1']")
    page.click("#frames button[data-lap='0']")
    assert page.input_value("#lap") == "0"
    assert step(page) == 100


def test_laps_are_compared_at_the_same_place(page: Any) -> None:  # noqa: ANN401
    page.fill("#step", "149")
    assert page.evaluate("counterpart(LAPS[2])") == 119  # the lap of 120 steps has ended by then
    page.select_option("#along-by", "progress")
    assert page.evaluate("counterpart(LAPS[2])") == 59  # half of it
    page.uncheck("#beside input >> nth=1")
    assert page.locator("#frames > *").count() == 2
    page.check("#beside input >> nth=1")


def test_traces_are_chosen(page: Any) -> None:  # noqa: ANN401
    chosen = page.inner_text("#traced")
    assert chosen.count("\N{MULTIPLICATION SIGN}") == 2
    page.select_option("#group", "means")
    page.select_option("#trace", "phi")
    assert "phi" in page.inner_text("#traced")
    assert "phi, r with steer" in page.inner_text("#labels")
    page.click("#traced button:has-text('phi')")
    assert "phi" not in page.inner_text("#traced")


def test_dragging_along_the_lap_scrubs(page: Any) -> None:  # noqa: ANN401
    page.locator("#along").scroll_into_view_if_needed()
    box = page.locator("#along").bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 60)
    page.mouse.down()
    middle = step(page)
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 60)
    page.mouse.up()
    assert 100 < middle < 200
    assert step(page) > middle + 50


def test_it_fits_a_phone_by_day_and_by_night(chromium: Any, report: str) -> None:  # noqa: ANN401
    size = {"width": 390, "height": 844}
    opened = Opened(chromium, report, viewport=size, is_mobile=True, has_touch=True)
    page = opened.page
    colour = "getComputedStyle(document.body)"
    seen = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.wait_for_function("palette[0] === colourOf('--policy-0')")
        seen[scheme] = page.evaluate(f"[{colour}.color, {colour}.backgroundColor, palette[0]]")
    assert len({colour for scheme in seen.values() for colour in scheme}) == 6
    for plot in ("map", "along", "later"):
        assert page.locator(f"#{plot} .main-svg").count() > 0
    assert page.evaluate(UNNAMED) == []
    assert opened.faults == []
