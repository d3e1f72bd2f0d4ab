"""What ``nsac-bench`` does with a configuration: calls the library and prints."""

from maps.console import console
from maps.faults import one_line
from maps.files.whole import writable
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.page import fill, runs_of
from nsac_core.benchmarks.page_config import Page, ReportRun
from nsac_core.benchmarks.registry import benchmark, collect, report
from nsac_core.benchmarks.report import Report, write_summary
from nsac_core.benchmarks.sheets import Sheet
from nsac_core.benchmarks.suite import run_all
from nsac_core.benchmarks.suite_config import AnyConfig, Suite
from nsac_core.benchmarks.table_one.command import table_one
from nsac_core.benchmarks.table_one.config import TableOne


def run(config: AnyConfig) -> None:
    """Runs one benchmark."""
    with one_line(BenchmarkError), writable(config.json):
        found = benchmark(config)
        if config.json is not None:
            write_summary(config.json, found)
        _show_report(found)


def run_suite(config: Suite) -> None:
    """Runs all benchmarks; one that cannot be run stops no other."""
    faults = []
    with one_line(BenchmarkError):
        for outcome in run_all(config):
            what = f"wrote {outcome.folder}" if outcome.fault is None else outcome.fault
            console().print(f"{outcome.name}: {what} ({outcome.seconds:.0f} s)")
            faults += [] if outcome.fault is None else [outcome.name]
        if faults:
            raise BenchmarkError(f"not all benchmarks ran: {', '.join(faults)}")


def gather_table_one(config: TableOne) -> None:
    """Gathers the paper's Table 1 from whatever runs there are."""
    with one_line(BenchmarkError):
        _show(table_one(config))
        console().print(f"\nwrote {config.out}/tables.md, tables.tex, table1.json and figure.png")


def report_run(config: ReportRun) -> None:
    """Writes the tables and figures of a run anew."""
    with one_line(BenchmarkError):
        _show_report(collect(config.run))


def fill_page(config: Page) -> None:
    """Fills the blocks of a page from the runs that it names."""
    with one_line(BenchmarkError):
        folders = [config.runs / name for name in runs_of(config.page)]
        left = fill(config.page, [report(folder) for folder in folders if folder.is_dir()])
        console().print(f"wrote {config.page}")
        if left:
            console().print(f"not of runs in {config.runs}, left as they are: {', '.join(left)}")


def _show_report(found: Report) -> None:
    _show(found.sheets)
    pictures = [f"{name}.png" for name in found.figures]
    files = ", ".join(["tables.md", "tables.tex", "scores.parquet", *pictures])
    console().print(f"\nwrote {found.folder}/{files}")


def _show(sheets: list[Sheet]) -> None:
    for sheet in sheets:
        console().print(f"\n{sheet.caption}\n\n{sheet.markdown()}", end="")
