"""Fills the tables of a page from runs; the words between them are its author's."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from maps.files.one_line_error import did_you_mean
from maps.files.whole import copy_file, write_text
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.report import Report

_BLOCK = re.compile(r"(<!-- begin ([\w/-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: Path, runs: Sequence[Report]) -> list[str]:
    """Writes those blocks of a page anew that are of these runs.

    A block is all between ``<!-- begin RUN/NAME -->`` and ``<!-- end -->``. RUN is the name of the
    run's folder; NAME is that of a table, ``settings``, ``figure``, which is copied beside the page
    as ``RUN.svg``, or that of another of the run's figures, copied as ``RUN_NAME.svg``.

    Args:
        page: A Markdown file.
        runs: Their blocks are written; those of others stay as they are.

    Returns:
        The blocks that stayed.

    Raises:
        BenchmarkError: If the page has no block, or one that its run does not have.
    """
    blocks: dict[str, str] = {}
    for run in runs:
        blocks.update(_blocks(run))
    names = {run.folder.name for run in runs}
    others = [name for name in names_of_blocks(page) if name.partition("/")[0] not in names]
    left = fill_blocks(page, blocks, others)
    text = page.read_text(encoding="utf-8")
    for run in runs:
        for name in run.figures:
            if f"]({_picture(run, name)})" in text:
                copy_file(run.folder / f"{name}.svg", page.parent / _picture(run, name))
    return left


def runs_of(page: Path) -> list[str]:
    """The names of the runs that the blocks of a page are of, each once.

    Raises:
        BenchmarkError: If there is no such page.
    """
    if not page.is_file():
        raise BenchmarkError(f"{page}: no such page")
    return list(dict.fromkeys(name.partition("/")[0] for name in names_of_blocks(page)))


def fill_blocks(page: Path, blocks: dict[str, str], optional: Collection[str] = ()) -> list[str]:
    """Writes the blocks of a page anew, all between ``<!-- begin NAME -->`` and ``<!-- end -->``.

    Args:
        page: A Markdown file.
        blocks: The text of each by its name.
        optional: Names of blocks that may be missing here; on the page they are left alone.

    Returns:
        Those that were.

    Raises:
        BenchmarkError: If the page has no block, or one of another name.
    """
    text = page.read_text(encoding="utf-8")
    names = names_of_blocks(page)
    left = [name for name in names if name not in blocks and name in optional]
    unknown = [name for name in names if name not in blocks and name not in left]
    if unknown or not names:
        what = f"no run has {unknown[0]!r}" if unknown else "no block <!-- begin NAME -->"
        guess = did_you_mean(unknown[0], blocks) if unknown else ""
        raise BenchmarkError(f"{page}: {what}; {guess}there are {', '.join(sorted(blocks))}")
    write_text(
        page, _BLOCK.sub(lambda m: f"{m[1]}{blocks[m[2]]}{m[3]}" if m[2] in blocks else m[0], text)
    )
    return left


def names_of_blocks(page: Path) -> list[str]:
    """Names of the blocks of a page, in order."""
    return [match[2] for match in _BLOCK.finditer(page.read_text(encoding="utf-8"))]


def _blocks(found: Report) -> dict[str, str]:
    name = found.folder.name
    blocks = {
        f"{name}/{sheet.name}": f"{sheet.caption}\n\n{sheet.markdown()}" for sheet in found.sheets
    }
    settings = ", ".join(f"`{field}` {_shown(value)}" for field, value in found.settings.items())
    blocks[f"{name}/settings"] = settings + "\n"
    for figure, words in found.figures.items():
        blocks[f"{name}/{figure}"] = f"![{name}: {words}]({_picture(found, figure)})\n"
    return blocks


def _picture(found: Report, figure: str) -> str:
    name = found.folder.name
    return f"{name}.svg" if figure == "figure" else f"{name}_{figure}.svg"


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
