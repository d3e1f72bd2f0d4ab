"""Memory of a process that drives lap after lap, and its slope.

Each case runs in a process of its own, through what a study's workers do. Laps are short: what
a lap leaves behind comes from worlds being made and closed, not from steps.

    python benchmarks/memory_over_laps.py --json benchmarks/results/memory_over_laps.json
"""

import ctypes
import gc
import json
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.table import Table
from scipy.stats import theilslopes

from evaluation.study.drive_unit import drive_unit
from evaluation.study.plan import Plan
from evaluation.study.units import drivers_of, units_of

CASES = {"none": "privileged", "fast": "nsac", "exact": "nsac"}
"""Policies by the renderer that their worlds have."""
SAMPLES = 60
WARM_UP = 1 / 3
"""Share of the laps that fill caches and the heap, before the slope counts."""


@dataclass(frozen=True)
class Options:
    """What to measure.

    Attributes:
        json: Also write the results to this file.
        laps: Of each case.
        max_steps: Of a lap.
        batch: Laps in lock-step.
        tracks: Different ones, driven again and again.
        renderers: Cases.
    """

    json: Path | None = None
    laps: int = 2000
    max_steps: int = 10
    batch: int = 10
    tracks: int = 100
    renderers: tuple[str, ...] = tuple(CASES)


class Heap(ctypes.Structure):
    """What glibc's ``mallinfo2`` tells."""

    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]


def heap_in_use() -> int:
    """Bytes that are allocated and not freed, of the C library's heap."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Heap
    heap = mallinfo()
    return int(heap.uordblks + heap.hblkhd)


def resident() -> int:
    """Bytes of memory that the process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def measure(renderer: str, options: Options) -> dict[str, Any]:
    """Drives all laps of a case in this process."""
    plan = Plan(
        policies=(("", CASES[renderer]),),
        maps=tuple(f"seed:{2000 + k}" for k in range(options.tracks)),
        renderer="exact" if renderer == "exact" else "fast",
        batch=options.batch,
        max_steps=options.max_steps,
    )
    units = units_of(plan, drivers_of(plan))
    every = max(1, options.laps // options.batch // SAMPLES)
    samples = []
    for number in range(options.laps // options.batch):
        drive_unit(units[number % len(units)])
        if (number + 1) % every == 0:
            gc.collect()
            samples.append(((number + 1) * options.batch, resident(), heap_in_use()))
    return {"renderer": renderer, "policy": CASES[renderer], "laps": options.laps, **fit(samples)}


def fit(samples: list[tuple[int, int, int]]) -> dict[str, Any]:
    """Slopes by Theil and Sen of the samples after the warm-up, with their 95 % intervals."""
    kept = samples[int(len(samples) * WARM_UP) :]
    laps = [row[0] for row in kept]
    found: dict[str, Any] = {"samples": samples, "resident": samples[-1][1]}
    for name, column in (("resident", 1), ("heap", 2)):
        slope, _, low, high = theilslopes([row[column] for row in kept], laps, alpha=0.95)
        found[f"{name}_per_lap"] = [float(slope), float(low), float(high)]
    return found


def show(results: list[dict[str, Any]]) -> None:
    """Print the results as a table."""
    table = Table(title="Memory over laps", caption="slope with its 95 % interval, kB a lap")
    for title in ("renderer", "policy", "laps", "resident, MB", "its slope", "slope of the heap"):
        table.add_column(title, justify="left" if title in ("renderer", "policy") else "right")
    for row in results:
        slopes = [
            "{:.2f} ({:.2f} to {:.2f})".format(*(value / 1000 for value in row[f"{name}_per_lap"]))
            for name in ("resident", "heap")
        ]
        megabytes = f"{row['resident'] / 1e6:.0f}"
        table.add_row(row["renderer"], row["policy"], f"{row['laps']}", megabytes, *slopes)
    Console().print(table)


def main() -> None:
    """Measure, print and write."""
    options = tyro.cli(Options, description=__doc__)
    results = []
    for renderer in options.renderers:
        start = time.perf_counter()
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, context) as process:
            results.append(process.submit(measure, renderer, options).result())
        print(f"{renderer}: {options.laps} laps in {time.perf_counter() - start:.0f} s")
    show(results)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        settings = {k: v for k, v in asdict(options).items() if k != "json"}
        content = {"settings": settings, "results": results}
        options.json.write_text(json.dumps(content) + "\n")
        print(f"written to {options.json}")


if __name__ == "__main__":
    main()
