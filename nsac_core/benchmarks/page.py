"""Fills the tables of a page from runs; the words between them are its author's."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.report import Report, report, write_text

_BLOCK = re.compile(r"(<!-- begin ([\w/-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: Path, runs: Sequence[Path]) -> None:
    """Writes the blocks of a page anew.

    A block is all between ``<!-- begin DATA_SET/NAME -->`` and ``<!-- end -->``; NAME is that of a
    table, ``settings``, or ``figure``, which is copied beside the page as ``DATA_SET.svg``.

    Args:
        page: A Markdown file.
        runs: Folders, one for each data set that the page names.

    Raises:
        BenchmarkError: If there is no such page, it has no block, or a block is of none of the
            runs.
    """
    if not page.is_file():
        raise BenchmarkError(f"{page}: no such page")
    blocks: dict[str, str] = {}
    for run in runs:
        found = report(run)
        blocks.update(_blocks(found))
        shutil.copyfile(run / "figure.svg", page.parent / f"{found.settings['data_set']}.svg")
    text = page.read_text(encoding="utf-8")
    names = [match[2] for match in _BLOCK.finditer(text)]
    unknown = [name for name in names if name not in blocks]
    if unknown or not names:
        what = f"no run has {unknown[0]!r}" if unknown else "no block <!-- begin DATA_SET/NAME -->"
        raise BenchmarkError(f"{page}: {what}; there are {', '.join(sorted(blocks))}")
    write_text(page, _BLOCK.sub(lambda m: f"{m[1]}{blocks[m[2]]}{m[3]}", text))


def _blocks(found: Report) -> dict[str, str]:
    data_set = found.settings["data_set"]
    blocks = {
        f"{data_set}/{sheet.name}": f"{sheet.caption}\n\n{sheet.markdown()}"
        for sheet in found.sheets
    }
    settings = ", ".join(f"`{name}` {_shown(value)}" for name, value in found.settings.items())
    blocks[f"{data_set}/settings"] = settings + "\n"
    words = "error by method, calibration, and error of the most certain share"
    blocks[f"{data_set}/figure"] = f"![{data_set}: {words}]({data_set}.svg)\n"
    return blocks


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
