"""``nsac-bench``: parses the command line and calls the library."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from maps.faults import one_line
from nsac_core.benchmarks.ablations.config import Ablations
from nsac_core.benchmarks.bearings.config import Bearings, SyntheticBearings
from nsac_core.benchmarks.config import Boston, Kin8nm
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.config import Ettm1, Jena
from nsac_core.benchmarks.page import fill, runs_of
from nsac_core.benchmarks.registry import AnyConfig, benchmark, collect, report
from nsac_core.benchmarks.report import write_summary
from nsac_core.benchmarks.runtime.config import Runtime
from nsac_core.benchmarks.sheets import Sheet
from nsac_core.benchmarks.spiral.config import Spiral
from nsac_core.benchmarks.suite import Suite, run_all
from nsac_core.benchmarks.table_one.command import TableOne, table_one


@dataclass(frozen=True)
class ReportRun:
    """Write the tables and figures of a run anew, from the cells it has.

    Attributes:
        run: Its folder.
    """

    run: Annotated[Path, tyro.conf.Positional]


@dataclass(frozen=True)
class Page:
    """Fill the tables and figures of a page from the runs that it names.

    Attributes:
        page: A Markdown file with blocks `<!-- begin RUN/NAME -->` to `<!-- end -->`.
        runs: Folder that holds the folders RUN.
    """

    page: Annotated[Path, tyro.conf.Positional]
    runs: Path = Path("runs/bench")


Command = (
    Annotated[Boston, tyro.conf.subcommand("boston")]
    | Annotated[Kin8nm, tyro.conf.subcommand("kin8nm")]
    | Annotated[Spiral, tyro.conf.subcommand("spiral")]
    | Annotated[Ettm1, tyro.conf.subcommand("ettm1")]
    | Annotated[Jena, tyro.conf.subcommand("jena")]
    | Annotated[Ablations, tyro.conf.subcommand("ablations")]
    | Annotated[Runtime, tyro.conf.subcommand("runtime")]
    | Annotated[Bearings, tyro.conf.subcommand("bearings")]
    | Annotated[SyntheticBearings, tyro.conf.subcommand("synthetic-bearings")]
    | Annotated[Suite, tyro.conf.subcommand("all")]
    | Annotated[TableOne, tyro.conf.subcommand("table1")]
    | Annotated[ReportRun, tyro.conf.subcommand("report")]
    | Annotated[Page, tyro.conf.subcommand("page")]
)
AnyCommand = AnyConfig | Suite | TableOne | ReportRun | Page


def main(arguments: list[str] | None = None) -> None:
    """Runs a benchmark or shows one; a fault is one line on stderr and exit status 2."""
    command: AnyCommand = tyro.cli(
        Command,
        prog="nsac-bench",
        description="Compare uncertainty methods on public data, beside the paper's numbers; "
        "repeat a command to resume.",
        args=arguments,
    )
    with one_line(BenchmarkError, OSError):
        perform(command)


def perform(command: AnyCommand) -> None:
    """Does what a command says.

    Raises:
        BenchmarkError: If it cannot be done.
    """
    console = Console(soft_wrap=True, highlight=False)
    if isinstance(command, Page):
        _fill(command, console)
    elif isinstance(command, Suite):
        _run_all(command, console)
    elif isinstance(command, TableOne):
        _show(console, table_one(command))
        console.print(f"\nwrote {command.out}/tables.md, tables.tex, table1.json, figure.png")
    else:
        _run(command, console)


def _fill(command: Page, console: Console) -> None:
    folders = [command.runs / name for name in runs_of(command.page)]
    left = fill(command.page, [report(folder) for folder in folders if folder.is_dir()])
    console.print(f"wrote {command.page}")
    if left:
        console.print(f"not of runs in {command.runs}, left as they are: {', '.join(left)}")


def _run_all(command: Suite, console: Console) -> None:
    faults = []
    for outcome in run_all(command):
        what = f"wrote {outcome.folder}" if outcome.fault is None else outcome.fault
        console.print(f"{outcome.name}: {what} ({outcome.seconds:.0f} s)")
        faults += [] if outcome.fault is None else [outcome.name]
    if faults:
        raise BenchmarkError(f"not all benchmarks ran: {', '.join(faults)}")


def _run(command: AnyConfig | ReportRun, console: Console) -> None:
    found = collect(command.run) if isinstance(command, ReportRun) else benchmark(command)
    if isinstance(command, AnyConfig) and command.json is not None:
        write_summary(command.json, found)
    _show(console, found.sheets)
    pictures = [f"{name}.png" for name in found.figures]
    files = ", ".join(["tables.md", "tables.tex", "scores.parquet", *pictures])
    console.print(f"\nwrote {found.folder}/{files}")


def _show(console: Console, sheets: list[Sheet]) -> None:
    for sheet in sheets:
        console.print(f"\n{sheet.caption}\n\n{sheet.markdown()}", markup=False, end="")
