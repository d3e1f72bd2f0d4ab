"""Fills the tables of ``docs/scale.md`` from what the benchmarks measured.

python benchmarks/scale_page.py
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from nsac_core.benchmarks.page import fill_blocks

RESULTS = Path(__file__).parent / "results"
MILLION = 1e6
CORES = (2, 16, 128)
WORDS = {"exact": "study, exact renderer", "fast": "study, fast renderer"}


@dataclass(frozen=True)
class Options:
    """Which page from which results; a result that is not there leaves its tables as they are.

    Attributes:
        page: Markdown.
        speed: Written by ``laps_per_minute.py``.
        memory: Written by ``memory_over_laps.py``.
    """

    page: Path = Path(__file__).parents[1] / "docs" / "scale.md"
    speed: Path = RESULTS / "laps_per_minute.json"
    memory: Path = RESULTS / "memory_over_laps.json"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown; the first column holds words, the others numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def speed_blocks(found: dict[str, Any]) -> dict[str, str]:
    """Tables ``speed``, ``disk`` and ``million``."""
    rows = [
        [
            WORDS.get(row["name"], row["name"]),
            f"{row['processes']}",
            f"{row['steps_per_second']:,.0f}",
            f"{row['laps_per_minute']:.1f}",
            f"{row['laps_per_core_hour']:,.0f}",
            f"{row['ratio']:.1f} ({row['ratio_low']:.1f}-{row['ratio_high']:.1f})",
        ]
        for row in found["results"]
    ]
    settings = found["settings"]
    words = (
        f"`{settings['policy']}`, {settings['rounds']} turns, {settings['batch']} laps in "
        f"lock-step, {found['steps_a_lap']:.0f} steps a lap, {found['cores']} cores; load average "
        f"{found['load_average']:.1f}. In brackets: the lowest and the highest ratio of a turn.\n\n"
    )
    head = ["", "processes", "steps/s", "laps/min", "laps/core-hour", "ratio"]
    return {
        "speed": words + table(head, rows),
        "disk": disk(found["bytes_a_lap"]),
        "million": million(found),
    }


def disk(sizes: dict[str, float]) -> str:
    """What a lap takes."""
    rows = [
        [f"`{name}`", f"{size:,.0f}", f"{size * MILLION / 1e9:,.2f}"]
        for name, size in sizes.items()
    ]
    return table(["", "bytes a lap", "GB a million laps"], rows)


def million(found: dict[str, Any]) -> str:
    """What a million laps take of cores, at the speed measured on a core."""
    rows = []
    for row in found["results"]:
        hours = MILLION / row["laps_per_core_hour"]
        name = WORDS.get(row["name"], row["name"])
        rows.append([name, f"{hours:,.0f}", *[duration(hours / n) for n in CORES]])
    return table(["", "core-hours", *[f"on {n} cores" for n in CORES]], rows)


def duration(hours: float) -> str:
    """In hours, or in days."""
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"


def memory_block(found: dict[str, Any]) -> str:
    """Table ``memory``."""
    rows = []
    for row in found["results"]:
        cells = []
        for name in ("resident", "heap"):
            slope, low, high = (value / 1000 for value in row[f"{name}_per_lap"])
            cells.append(f"{slope:.2f} ({low:.2f} to {high:.2f})")
        name = f"{row['renderer']}, `{row['policy']}`"
        rows.append([name, f"{row['laps']:,}", f"{row['resident'] / 1e6:.0f}", *cells])
    head = [
        "renderer, policy",
        "laps",
        "resident, MB",
        "slope, kB/lap",
        "of the heap in use, kB/lap",
    ]
    return table(head, rows)


def main() -> None:
    """Fill what there are results for."""
    options = tyro.cli(Options, description=__doc__)
    blocks: dict[str, str] = {}
    if options.speed.is_file():
        blocks |= speed_blocks(json.loads(options.speed.read_text()))
    if options.memory.is_file():
        blocks["memory"] = memory_block(json.loads(options.memory.read_text()))
    left = fill_blocks(options.page, blocks, optional=("speed", "disk", "million", "memory"))
    print(f"{options.page}: {', '.join(blocks) or 'nothing'} filled")
    if left:
        print(f"left as they are, for want of results: {', '.join(left)}")


if __name__ == "__main__":
    main()
