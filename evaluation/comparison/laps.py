"""Closed loop: every clone on the same laps, and the drivers that mark what can be reached."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evaluation.comparison.clones import Clone
from evaluation.comparison.config import ComparisonConfig
from evaluation.config import EvaluateConfig
from evaluation.errors import EvaluationError
from evaluation.run import drive
from maps.files import parquet_file

CEILINGS = "ceilings"
"""Arm of the drivers that are no clones."""


@dataclass(frozen=True)
class Driven:
    """The laps of a comparison.

    Attributes:
        clones: As in ``laps.parquet``, with ``arm``, ``method`` and ``model`` (its seed).
        ceilings: The laps of the expert and of the privileged driver.
    """

    clones: pd.DataFrame
    ceilings: pd.DataFrame


def drive_all(config: ComparisonConfig, clones: list[Clone]) -> None:
    """Drives the laps that are missing: a run for each arm, and one for the ceilings.

    Raises:
        EvaluationError: A folder holds another run.
        policies.PolicyError: A checkpoint is missing or cannot be read.
    """
    for arm in dict.fromkeys(clone.arm for clone in clones):
        files = tuple(str(clone.file(config)) for clone in clones if clone.arm == arm)
        drive(_run(config, arm, files))
    drive(_run(config, CEILINGS, tuple(dict.fromkeys((config.expert, "privileged")))))


def driven(out: Path) -> Driven:
    """Reads the laps of all runs.

    Raises:
        EvaluationError: There are none.
    """
    files = sorted((out / "runs").glob("*/laps.parquet"))
    frames = {file.parent.name: parquet_file.read(file) for file in files}
    ceilings = frames.pop(CEILINGS, pd.DataFrame())
    if not frames:
        raise EvaluationError(f"{out}: no laps of clones; the stage drive makes them")
    laps = pd.concat([rows.assign(arm=arm) for arm, rows in frames.items()], ignore_index=True)
    named = laps["policy"].str.extract(r"^(?P<method>\w+)-(?P<model>\d+)$")
    laps["method"], laps["model"] = named["method"], named["model"].astype(int)
    return Driven(laps, ceilings)


def _run(config: ComparisonConfig, name: str, policies: tuple[str, ...]) -> EvaluateConfig:
    return EvaluateConfig(
        policy=policies,
        maps=config.tracks,
        out=config.out / "runs" / name,
        renderer=config.renderer,
        batch=config.batch,
        max_steps=config.max_steps,
        workers=config.workers,
        trust=config.trust,
        quiet=config.quiet,
    )
