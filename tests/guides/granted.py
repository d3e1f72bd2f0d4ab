"""What the guides take for granted: made once, small, by the guides' own commands."""

import shutil
from pathlib import Path

from tests.guides.blocks import ROOT
from tests.guides.made_up import write_circuit
from tests.guides.running import run

COMMANDS = (
    "nsac-record carracing --driver privileged --out carracing/privileged-v0",
    "nsac-train --data carracing/privileged-v0 --method nsac --out policy.safetensors",
    "nsac-record carracing --learner policy.safetensors --learner-share 0.9 --first-seed 11000 "
    "--noise.share 0 --out carracing/dagger1-v0",
    "nsac-udacity-sim --mode training --driver scripted --track lake --out recordings/lake",
    "nsac-bench boston --lambdas 0 5",
)
COPIES = {
    "recordings/udacity-lake": "recordings/lake",
    "recordings/jungle": "recordings/lake",
    "clones/mine.safetensors": "policy.safetensors",
    **{
        f"clones/{arm}/nsac-0.safetensors": "policy.safetensors"
        for arm in ("plain", "dagger", "colours")
    },
}
"""Other names of the same."""

BOSTON, CIRCUIT = "runs/bench/boston", "Monza.csv"
DEMONSTRATIONS, POLICY = "datasets", "policy.safetensors"
PAGES = "docs/results"
GRANTED = {
    "benchmarks.md": (BOSTON,),
    "data.md": (DEMONSTRATIONS,),
    "drivers.md": ("clones",),
    "evaluate.md": (POLICY,),
    "maps.md": (CIRCUIT,),
    "paper.md": (BOSTON, "recordings/udacity-lake"),
    "record.md": (POLICY,),
    "scale.md": ("clones/mine.safetensors",),
    "study.md": ("clones/mine.safetensors",),
    "train.md": (DEMONSTRATIONS,),
    "udacity.md": ("recordings/jungle",),
}
"""What stands in the working folder before the first command of a guide."""


def make() -> None:
    """Makes all of it in the working folder."""
    for line in COMMANDS:
        run(line)
    for name, source in COPIES.items():
        _copy(Path(source), Path(name))
    write_circuit(Path(CIRCUIT))
    _copy(ROOT / PAGES, Path(PAGES))


def grant(guide: str, folder: Path) -> None:
    """Copies into the working folder what a guide takes for granted.

    Args:
        guide: Name of its file.
        folder: Where ``make`` has made everything.
    """
    for name in (*GRANTED.get(guide, ()), PAGES):
        _copy(folder / name, Path(name))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
