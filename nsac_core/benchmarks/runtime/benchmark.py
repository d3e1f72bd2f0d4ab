"""Measures the contestants one after the other."""

import json
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from rich.console import Console
from rich.progress import track

from maps.files import parquet_file
from maps.files.whole import write_text
from nsac_core.benchmarks.report import Report, write_frame
from nsac_core.benchmarks.runner import settings_of
from nsac_core.benchmarks.runtime.config import Runtime
from nsac_core.benchmarks.runtime.processes import PEER, Contestant, peer_environment
from nsac_core.benchmarks.runtime.tables import PUBLISHED_PACKAGE, sheets
from nsac_core.methods import METHODS


def benchmark(config: Runtime) -> Report:
    """Measures everything anew and reports it.

    Raises:
        BenchmarkError: If the configuration cannot be.
        ContestantError: If a contestant ends early.
    """
    config = config.resolved()
    config.check()
    cases = list(_cases(config))
    shown = track(cases, "measuring", console=Console(stderr=True), disable=config.quiet)
    records = [record for case in shown for record in _measure(*case, config.repeats)]
    config.out.mkdir(parents=True, exist_ok=True)
    settings = {**config.settings(), **_machine()}
    write_text(config.out / "run.json", json.dumps(settings, indent=2) + "\n")
    write_frame(config.out / "scores.parquet", pd.DataFrame(records))
    return report(config.out)


def report(folder: Path) -> Report:
    """Writes the tables of results.

    Raises:
        BenchmarkError: If the folder has none.
    """
    settings = settings_of(folder)
    scores = parquet_file.read(folder / "scores.parquet")
    found = sheets(settings, scores)
    for suffix, text in (
        ("md", "\n".join(f"{sheet.caption}\n\n{sheet.markdown()}" for sheet in found)),
        ("tex", "\n".join(sheet.latex() for sheet in found)),
    ):
        write_text(folder / f"tables.{suffix}", text)
    return Report(folder, settings, scores, pd.DataFrame(), found, {})


def _cases(config: Runtime) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Python, contestant and case of everything that is measured."""
    names = METHODS if "all" in config.methods else config.methods
    contestants = [(Path(sys.executable), "ours", name) for name in names]
    if config.peer_python is not None:
        install = str(config.peer_python) == "install"
        python = peer_environment() if install else config.peer_python
        contestants.append((python, "peer", PUBLISHED_PACKAGE))
    for device in _devices(config.devices):
        for positions in config.positions:
            for python, contestant, name in contestants:
                for samples in config.samples:
                    yield (
                        python,
                        contestant,
                        {
                            "method": name,
                            "length": config.length,
                            "batch": 1,
                            "width": config.width,
                            "heads": config.heads,
                            "top_k": 8,
                            "positions": positions,
                            "samples": samples,
                            "train": False,
                            "device": device,
                        },
                    )


def _devices(names: tuple[str, ...]) -> list[str]:
    automatic = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    return [each for name in names for each in (automatic if name == "auto" else [name])]


def _measure(
    python: Path, contestant: str, case: dict[str, Any], repeats: int
) -> list[dict[str, Any]]:
    """One record a repeat."""
    with Contestant(python, contestant) as worker:
        megabytes = worker.ask(case, memory=True)  # the first call, which warms up as well
        trained, held = worker.ask(case, parameters=True)
        durations = [worker.ask(case, calls=1) for _ in range(repeats)]
    part = f"{case['device']}, {case['positions']}, {case['samples']}"
    return [
        {
            "model": case["method"],
            "part": part,
            "seed": number,
            "device": case["device"],
            "positions": case["positions"],
            "samples": case["samples"],
            "seconds": duration,
            "sequences_per_second": 1 / duration,
            "megabytes": megabytes,
            "trained": trained,
            "held": held,
        }
        for number, duration in enumerate(durations)
    ]


def _machine() -> dict[str, str]:
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    return {
        "processor": _processor(),
        "gpu": gpu,
        "torch": version("torch"),
        "peer": PEER,
    }


def _processor() -> str:
    """The name of the processor, where the system tells it (Linux), or its kind."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
