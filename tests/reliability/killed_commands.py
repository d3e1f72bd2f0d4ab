"""The four long commands at tiny sizes: what their units are, and what they must come to."""

import json
import sys
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from maps.files import tensor_file

ROOT = Path(__file__).parents[2]
NAME = "carracing/kills-v0"
STUDY_FILE = """
maps = "seed:3-14"
perturbations = "friction:1"
batch = 2
max_steps = 80
renderer = "fast"
policies = ["closed_loop_policies:Scripted"]
"""

Units = dict[str, Any]
"""Finished units by name, each with what would be another were it computed again."""


@dataclass(frozen=True)
class Target:
    """A command that is killed.

    Attributes:
        name: Of the command.
        words: Its command line, to be run in the folder that is its own.
        units: The finished units that the folder holds.
        result: What an uninterrupted run in the folder comes to, as values that can be compared.
        total: How many units it has.
        joined: The file that is there when the units may be gone; None where they stay.
        workers: Whether it has processes of its own.
    """

    name: str
    words: tuple[str, ...]
    units: Callable[[Path], Units]
    result: Callable[[Path], object]
    total: int
    joined: str | None = None
    workers: bool = True

    def command(self, workers: int) -> list[str]:
        """The command line of a process."""
        program, *words = self.words
        code = f"from {program}.cli import main; main()"
        spread = ["--workers", str(workers)] if self.workers else []
        return [sys.executable, "-c", code, *words, *spread, "--quiet"]


def files_of(folder: Path) -> list[str]:
    """Names of all files but locks, which stay."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in names if not name.endswith(".lock"))


def listed(folder: Path, pattern: str) -> list[Path]:
    """Paths below a folder that a running command writes in: glob fails where one is just moved."""
    while True:
        with suppress(FileNotFoundError):
            return list(folder.glob(pattern))


def stamped(files: list[Path], name: Callable[[Path], str]) -> Units:
    """Files as units: one that is written anew has another inode or time."""
    found: Units = {}
    for file in files:
        try:
            state = file.stat()
        except FileNotFoundError:  # just being moved
            continue
        found[name(file)] = (state.st_ino, state.st_mtime_ns)
    return found


def episodes(folder: Path) -> Units:
    """Of a recording, under way or finished."""
    data_set = folder / "data" / NAME
    files = listed(data_set, ".recording/*/*.arrow") + listed(data_set, "data/*/*.arrow")
    return stamped(files, lambda file: file.parent.name)


def recording(folder: Path) -> object:
    """All files of the data set, to the last bit."""
    data = folder / "data"
    return {name: (data / name).read_bytes() for name in files_of(data)}


def epochs(folder: Path) -> Units:
    """Of a training: the seconds that an epoch took would be others the second time."""
    words = tensor_file.words_of(folder / "policy.unfinished" / "state.safetensors")
    history = json.loads(words["fitting"])["history"] if words else []
    return {str(epoch["number"]): epoch["seconds"] for epoch in history}


def checkpoint(folder: Path) -> object:
    """Weights, and all that the header says but for times."""
    words, tensors = tensor_file.read(folder / "policy.safetensors")
    header = json.loads(words["nsac_drive"])
    del header["results"]["seconds"], header["command"]
    weights = {name: tensor.numpy().tobytes() for name, tensor in tensors.items()}
    return header, weights, files_of(folder)


def chunks(folder: Path) -> Units:
    """Of an evaluation."""
    return stamped(listed(folder, "run/chunks/*.parquet"), lambda file: file.name)


def run(folder: Path) -> object:
    """Laps and steps but for times, and the names of all files."""
    tables = [untimed(folder / "run" / f"{name}.parquet") for name in ("laps", "steps")]
    return tables, files_of(folder)


def study_units(folder: Path) -> Units:
    """Of a study."""
    root = folder / "study" / "units"
    return stamped(listed(root, "**/[!.]*.json.gz"), lambda file: str(file.relative_to(root)))


def study(folder: Path) -> object:
    """Laps but for times, and the names of all files."""
    return untimed(folder / "study" / "laps.parquet"), files_of(folder)


def untimed(file: Path) -> list[dict[Hashable, object]]:
    """The rows of a table without what a clock has measured; NaN as text, to be equal to itself."""
    table = pd.read_parquet(file)
    timed = [name for name in table if "latency" in str(name)]
    return table.drop(columns=timed).astype(object).fillna("NaN").to_dict("records")


_RECORD = ("--driver", "scripted_drivers:Pursuit", "--out", NAME, "--data-root", "data")
_TRAIN = ("--data", NAME, "--data-root", "../demonstrations", "--method", "gmle", "--batch", "64")
_EVALUATE = ("--policy", "closed_loop_policies:Scripted", "--maps", "seed:3-22", "--batch", "2")

RECORD = Target(
    "record",
    ("recorders", "carracing", *_RECORD, "--episodes", "16", "--max-steps", "40"),
    episodes,
    recording,
    total=16,
)
TRAIN = Target(
    "train",
    ("policies", *_TRAIN, "--epochs", "8", "--out", "policy.safetensors"),
    epochs,
    checkpoint,
    total=8,
    joined="policy.safetensors",
    workers=False,
)
EVALUATE = Target(
    "evaluate",
    ("evaluation", *_EVALUATE, "--max-steps", "80", "--out", "run"),
    chunks,
    run,
    total=10,
    joined="run/laps.parquet",
)
STUDY = Target(
    "study",
    ("evaluation", "study", "../study.toml", "--out", "study"),
    study_units,
    study,
    total=12,
)
TARGETS = {target.name: target for target in (RECORD, TRAIN, EVALUATE, STUDY)}
