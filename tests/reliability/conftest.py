"""The fault matrix: which faults were tried, and what happens, as ``docs/reliability.md`` says it.

A test names what it shows: ``@pytest.mark.fault("disk full", "nsac-train", "one line, status 2")``.
``pytest tests/reliability --write-matrix`` writes the rows of the tests that ran and passed; those
of test files that were not run stay. ``test_matrix.py`` compares the page with the markers.
"""

import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass, field
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
BLOCK = "faults"
HEAD = "| fault | where | what happens | test | seen |\n|---|---|---|---|---|\n"
NOT_SEEN = "not seen: "


@dataclass(frozen=True, order=True)
class Row:
    """What a test says it shows.

    Attributes:
        fault: What goes wrong.
        where: In which command or module.
        outcome: What happens then.
        test: File and name of the test, without its parameters.
    """

    fault: str
    where: str
    outcome: str
    test: str

    @property
    def file(self) -> str:
        """Name of the test's file."""
        return self.test.partition("::")[0]


@dataclass
class Cases:
    """What the tests of a row came to."""

    counts: Counter[str] = field(default_factory=Counter)
    reason: str = ""

    def in_words(self) -> str:
        """The last cell of the row; empty where one failed."""
        passed, skipped = self.counts["passed"], self.counts["skipped"]
        if self.counts["failed"]:
            return ""
        if not passed:
            return f"{NOT_SEEN}{self.reason}"
        words = "passed" if passed == 1 else f"{passed} cases passed"
        return f"{words}, {skipped} skipped: {self.reason}" if skipped else words


class Matrix:
    """Collects the markers and, where asked to write them, the results."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.collected: set[Row] = set()
        self.files: set[str] = set()
        self.results: defaultdict[Row, Cases] = defaultdict(Cases)

    @property
    def writes(self) -> bool:
        """Whether this process writes the page."""
        asked = bool(self.config.getoption("--write-matrix", default=False))
        return asked and not hasattr(self.config, "workerinput")

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        if item.path.parent != Path(__file__).parent:
            return
        if not any("::" in argument for argument in self.config.args):
            self.files.add(item.path.name)
        name = f"{item.path.name}::{getattr(item, 'originalname', item.name)}"
        for marker in item.iter_markers("fault"):
            fault, where, outcome = marker.args
            self.collected.add(Row(fault, where, outcome, name))
            item.user_properties.append(("fault", [fault, where, outcome, name]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.passed:
            return
        for name, values in report.user_properties:
            if name == "fault" and isinstance(values, list | tuple):
                cases = self.results[Row(*values)]
                cases.counts[report.outcome] += 1
                if report.skipped and isinstance(report.longrepr, tuple):
                    cases.reason = report.longrepr[2].removeprefix("Skipped: ")

    def pytest_sessionfinish(self) -> None:
        if not self.writes or not self.results:
            return
        seen = {row: cases.in_words() for row, cases in self.results.items()}
        ran = {row.file for row in seen}
        kept = {
            row: words
            for row, words in committed().items()
            if row.file not in ran or row in self.collected - seen.keys()
        }
        write({**kept, **{row: words for row, words in seen.items() if words}})


def committed() -> dict[Row, str]:
    """The rows of the page, and their last cells."""
    text = PAGE.read_text(encoding="utf-8")
    block = re.search(rf"<!-- begin {BLOCK} -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert block, f"{PAGE} has no block {BLOCK}"
    rows = {}
    for line in block[1].removeprefix(HEAD).splitlines():
        cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)]
        fault, where, outcome, test, seen = cells[1:-1]
        rows[Row(fault, where, outcome, test.strip("`"))] = seen
    return rows


def write(rows: dict[Row, str]) -> None:
    """Writes the page's table."""
    from nsac_core.benchmarks.page import fill_blocks, names_of_blocks  # noqa: PLC0415 - is slow

    lines = (line([*astuple(row)[:3], f"`{row.test}`", rows[row]]) for row in sorted(rows))
    others = [name for name in names_of_blocks(PAGE) if name != BLOCK]
    fill_blocks(PAGE, {BLOCK: HEAD + "".join(lines)}, others)


def line(cells: Iterable[str]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(" ".join(cell.split()).replace("|", r"\|") for cell in cells) + " |\n"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-matrix", action="store_true", help="write docs/reliability.md anew")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Matrix(config), "fault matrix")


@pytest.fixture
def stale_rows(request: pytest.FixtureRequest) -> list[str]:
    """Where ``docs/reliability.md`` differs from the markers of the tests that were collected."""
    if request.config.getoption("--write-matrix", default=False):
        pytest.skip("the matrix is being written")
    matrix = request.config.pluginmanager.get_plugin("fault matrix")
    assert isinstance(matrix, Matrix)
    rows = set(committed())
    withdrawn = {row for row in rows - matrix.collected if row.file in matrix.files}
    return [f"{row.test}: {row.outcome}" for row in (matrix.collected - rows) | withdrawn]


@pytest.fixture
def named_files() -> set[Path]:
    """The test files that ``docs/reliability.md`` names."""
    return {Path(__file__).parent / row.file for row in committed()}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A file system of a size, say ``2m``; called again, the same one has another size.

    It holds 10,000 files.
    """
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(size: str) -> Path:
        options = f"size={size},nr_inodes=10k{',remount' if folder.is_mount() else ''}"
        command = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("a small file system can only be mounted by root")
        return folder

    yield mount
    if folder.is_mount():
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
