"""``nsac-bench table1``: gathers, writes the tables and the figure, and fills a page."""

import json
from pathlib import Path

import pandas as pd

from maps.files.locks import locked_folder
from maps.files.whole import copy_file, write_text
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.page import fill_blocks
from nsac_core.benchmarks.report import save_figure, write_frame
from nsac_core.benchmarks.sheets import Sheet
from nsac_core.benchmarks.table_one.config import TableOne
from nsac_core.benchmarks.table_one.figure import WORDS, errors
from nsac_core.benchmarks.table_one.sources import SOURCES, gathered
from nsac_core.benchmarks.table_one.tables import sheets


def table_one(command: TableOne) -> list[Sheet]:
    """Writes ``tables.md``, ``tables.tex``, ``values.parquet``, ``table1.json`` and the figure.

    Raises:
        BenchmarkError: If there is no run at all, or the page is not there or has other blocks.
    """
    if command.page is not None and not command.page.is_file():
        raise BenchmarkError(f"{command.page}: no such page")
    found = gathered(command.runs, command.drivers)
    if not len(found):
        raise BenchmarkError(
            f"neither {command.runs} nor {command.drivers} holds a run; nsac-bench boston makes one"
        )
    tables = sheets(found)
    with locked_folder(command.out):
        _write(command, found, tables)
    return tables


def _write(command: TableOne, found: pd.DataFrame, tables: list[Sheet]) -> None:
    write_frame(command.out / "values.parquet", found)
    texts = {sheet.name: f"{sheet.caption}\n\n{sheet.markdown()}" for sheet in tables}
    write_text(command.out / "tables.md", "\n".join(texts.values()))
    write_text(command.out / "tables.tex", "\n".join(sheet.latex() for sheet in tables))
    means = found.groupby(["data_set", "model", "metric"])["value"].agg(["mean", "std", "count"])
    records = json.loads(means.reset_index().to_json(orient="records"))
    write_text(command.out / "table1.json", json.dumps(records, indent=1) + "\n")
    save_figure(errors(found), command.out / "figure")
    if command.page is not None:
        _fill(command.page, texts, command.out / "figure.svg")


def _fill(page: Path, texts: dict[str, str], picture: Path) -> None:
    missing = {
        source.data_set: f"{source.title}: no run yet; `{source.command}` makes one.\n"
        for source in SOURCES
    }
    blocks = {f"table1/{name}": text for name, text in {**missing, **texts}.items()}
    blocks["table1/figure"] = f"![{WORDS}](table1.svg)\n"
    fill_blocks(page, blocks)
    copy_file(picture, page.parent / "table1.svg")
