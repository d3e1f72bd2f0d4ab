"""Speed and memory of the NSAC layer against the published package torch-nac 0.0.2.

Each contestant runs in a process and an environment of its own, on one thread; they take turns, so
that a busy machine slows both alike, and a ratio is the median over the turns. Memory is the rise
of the peak during the first call of a fresh process.

    python benchmarks/core_speed.py --json core_speed.json
"""

import json
import platform
import sys
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table

from nsac_core.benchmarks.runtime.processes import PEER, Contestant, peer_environment

SHORTEST_TURN = 0.2
FEWEST_TURNS = 3


@dataclass(frozen=True)
class Options:
    """What to measure.

    Attributes:
        json: Also write the results to this file.
        peer_python: Python of an environment that holds torch-nac 0.0.2; without it one is made
            in the user's cache.
        turns: Turns of each contestant in a case.
        seconds: Time after which a case ends, if each contestant has had three turns.
        only: Cases whose name contains this.
    """

    json: Path | None = None
    peer_python: Path | None = None
    turns: int = 15
    seconds: float = 60.0
    only: str = ""


@dataclass(frozen=True)
class Case:
    """A call, and what is asked of it.

    The width is 64, with 16 heads, 8 keys and one feature a token, as in the paper's Table 4.

    Attributes:
        name: As it stands in the table.
        length: Tokens of a sequence.
        positions: Queries that are evaluated.
        batch: Sequences; in training as many perturbed ones go with them.
        samples: Draws of the noise; 5 in training.
        train: A training step rather than a prediction.
        ratio: Least speed against the peer; None where the peer fails for want of memory.
        seconds: Longest duration.
        megabytes: Greatest rise of the peak.
    """

    name: str
    length: int
    positions: Literal["last", "all"]
    batch: int = 1
    samples: int = 1
    train: bool = False
    ratio: float | None = None
    seconds: float | None = None
    megabytes: float | None = None

    @property
    def call(self) -> dict[str, Any]:
        """What a worker has to know."""
        fields = ("length", "positions", "batch", "samples", "train")
        size = {"method": None, "width": 64, "heads": 16, "top_k": 8, "device": "cpu"}
        return size | {name: getattr(self, name) for name in fields}


CASES = (
    Case("forward, T=1000, last", 1000, "last", ratio=300, megabytes=15),
    Case("forward, T=1000, all", 1000, "all", ratio=4, megabytes=30),
    Case("predict 20, T=1000, last", 1000, "last", samples=20, ratio=1000),
    Case("predict 20, T=1000, all", 1000, "all", samples=20, ratio=30),
    Case("predict 20, batch 64, T=1", 1, "last", 64, samples=20, ratio=12),
    Case("train, batch 64, T=50, last", 50, "last", 64, train=True, ratio=300),
    Case("train, batch 64, T=13, last", 13, "last", 64, train=True, ratio=90),
    Case("train, batch 64, T=1, last", 1, "last", 64, train=True, ratio=5),
    Case("train, batch 64, T=50, all", 50, "all", 64, train=True, ratio=6, megabytes=1200),
    Case("forward, T=50,000, all", 50_000, "all", seconds=12, megabytes=200),
    Case("forward, T=50,000, last", 50_000, "last", seconds=0.078, megabytes=65),
)


def measure(case: Case, peer_python: Path, options: Options) -> dict[str, Any]:
    """Both contestants in turn, then the memory of each."""
    contestants = {"ours": Path(sys.executable)}
    if case.ratio is not None:
        contestants["peer"] = peer_python
    durations: dict[str, list[float]] = {name: [] for name in contestants}
    with ExitStack() as stack:
        workers = {n: stack.enter_context(Contestant(p, n)) for n, p in contestants.items()}
        # The first call is slower than the rest and says how many of those fill a turn.
        first = {name: worker.ask(case.call, calls=1) for name, worker in workers.items()}
        calls = {name: 1 + int(SHORTEST_TURN / duration) for name, duration in first.items()}
        start = time.monotonic()
        for turn in range(options.turns):
            if turn >= FEWEST_TURNS and time.monotonic() - start > options.seconds:
                break
            for name, worker in workers.items():
                durations[name].append(worker.ask(case.call, calls=calls[name]))
    return _result(case, durations, {n: _memory(case, p, n) for n, p in contestants.items()})


def _memory(case: Case, python: Path, contestant: str) -> float:
    with Contestant(python, contestant) as worker:
        return float(worker.ask(case.call, memory=True))


def _result(
    case: Case, durations: dict[str, list[float]], megabytes: dict[str, float]
) -> dict[str, Any]:
    seconds = {name: float(np.median(each)) for name, each in durations.items()}
    ratio = None
    if "peer" in durations:
        ratios = np.array(durations["peer"]) / np.array(durations["ours"])
        ratio = [float(np.quantile(ratios, share)) for share in (0.5, 0.1, 0.9)]
    met = {
        "ratio": case.ratio is None or (ratio is not None and ratio[0] >= case.ratio),
        "seconds": case.seconds is None or seconds["ours"] <= case.seconds,
        "megabytes": case.megabytes is None or megabytes["ours"] <= case.megabytes,
    }
    return {
        "asked": asdict(case),
        "turns": len(durations["ours"]),
        "seconds": seconds,
        "ratio_median_p10_p90": ratio,
        "megabytes": megabytes,
        "met": met,
    }


def report(results: list[dict[str, Any]]) -> dict[str, Any]:
    """All results as plain values."""
    return {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "packages": {"torch": version("torch"), "peer": PEER},
        "results": results,
    }


def show(results: list[dict[str, Any]]) -> None:
    """Print the results as a table."""
    table = Table(
        title="NSAC against torch-nac 0.0.2, one thread",
        caption="ratio: median of the turns [10th, 90th percentile]; MB: rise of the peak",
    )
    titles = ("case", "ours, s", "peer, s", "ratio", "asked", "MB", "peer, MB", "asked MB", "met")
    for title in titles:
        table.add_column(title, justify="left" if title == "case" else "right", no_wrap=True)
    for row in results:
        table.add_row(*_cells(row))
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def _cells(row: dict[str, Any]) -> list[str]:
    asked, seconds, megabytes = row["asked"], row["seconds"], row["megabytes"]
    ratio = row["ratio_median_p10_p90"]
    if asked["ratio"] is not None:
        wanted = f">= {asked['ratio']:,.0f}"
    else:
        wanted = f"<= {asked['seconds']:g} s"
    return [
        asked["name"],
        f"{seconds['ours']:.4f}",
        f"{seconds['peer']:.3f}" if "peer" in seconds else "not run",
        "{:,.1f} [{:,.1f}, {:,.1f}]".format(*ratio) if ratio else "",
        wanted,
        f"{megabytes['ours']:.1f}",
        f"{megabytes['peer']:.1f}" if "peer" in megabytes else "",
        f"<= {asked['megabytes']:g}" if asked["megabytes"] else "",
        "yes" if all(row["met"].values()) else "NO",
    ]


def main() -> None:
    """Measure, print and write."""
    options = tyro.cli(Options, description=__doc__)
    peer_python = options.peer_python or peer_environment()
    cases = [case for case in CASES if options.only in case.name]
    results: list[dict[str, Any]] = []
    for case in track(cases, "measuring"):
        results.append(measure(case, peer_python, options))
        if options.json:  # after every case: the slow ones take minutes
            options.json.write_text(json.dumps(report(results), indent=2) + "\n")
    show(results)
    if options.json:
        print(f"written to {options.json}")


if __name__ == "__main__":
    main()
