"""Reads the laps of runs and studies, and tells policies of one label apart."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from evaluation import run_description
from evaluation.errors import EvaluationError
from evaluation.side_by_side.measures import MEASURES
from evaluation.study.identity import IDENTITY, read_identity
from maps.files import parquet_file

COLUMNS = [
    *("policy", "perturbation", "severity", "map", "seed"),
    *dict.fromkeys(measure.metric for measure in MEASURES),
]
"""What is read of each lap: a million laps fit into memory."""

ALIKE = ("version", "renderer", "max_steps")
"""What runs must have in common for their laps to be compared."""


@dataclass(frozen=True)
class Source:
    """A run or a study.

    Attributes:
        folder: Where it is.
        identity: What decided its laps.
        laps: One row a lap.
    """

    folder: Path
    identity: dict[str, Any]
    laps: pd.DataFrame


def read(folder: Path) -> Source:
    """Reads a run or a study.

    Raises:
        EvaluationError: The folder holds neither, or it is not finished.
    """
    if (folder / IDENTITY).is_file():
        kind, found = "study", read_identity(folder)
    elif (folder / "config.json").is_file():
        kind, found = "run", run_description.read(folder).identity
    else:
        raise EvaluationError(f"{folder}: is neither a run nor a study")
    file = folder / "laps.parquet"
    if not file.is_file():
        raise EvaluationError(f"{folder}: the {kind} is not finished; its command goes on with it")
    laps = parquet_file.read(file, columns=COLUMNS)
    _check(file, laps, found)
    return Source(folder, found, laps)


def _check(file: Path, laps: pd.DataFrame, identity: dict[str, Any]) -> None:
    """Refuses laps that cannot be those of the run."""
    for measure in MEASURES:
        if not is_numeric_dtype(laps[measure.metric]):
            raise EvaluationError(f"{file}: the column {measure.metric!r} should hold numbers")
    others = set(laps["policy"].unique()) - identity["policies"].keys()
    if others:
        known = ", ".join(identity["policies"])
        raise EvaluationError(f"{file}: holds laps of {min(map(str, others))}, not only of {known}")
    if laps.empty:
        raise EvaluationError(f"{file}: holds no lap")


def together(sources: list[Source]) -> pd.DataFrame:
    """The laps of all, in the order given, with a column ``turn``: of laps of one map and seed.

    A policy that is in several runs in the same version is one policy, and a lap that is in
    several is taken from the first; of another version, it is called ``LABEL (FOLDER)``.

    Raises:
        EvaluationError: The runs are not alike.
    """
    for source in sources[1:]:
        for name in ALIKE:
            first, other = sources[0].identity.get(name), source.identity.get(name)
            if first != other:
                raise EvaluationError(
                    f"{sources[0].folder} and {source.folder} cannot be compared: "
                    f"{name} {first} and {other}"
                )
    frames = [source.laps.assign(policy=_labels(source, sources)) for source in sources]
    for frame in frames:
        keys = ["policy", "perturbation", "severity", "map", "seed"]
        frame["turn"] = frame.groupby(keys, sort=False).cumcount()
    laps = pd.concat(frames, ignore_index=True)
    return laps.drop_duplicates([*keys, "turn"], ignore_index=True)


def _labels(source: Source, sources: list[Source]) -> "pd.Series[str]":
    """What the policies of a run are called among all runs."""
    names = {}
    for label, digest in source.identity["policies"].items():
        others = {s.identity["policies"].get(label, digest) for s in sources}
        several = len(others) > 1
        names[label] = f"{label} ({source.folder.name})" if several else label
    return source.laps["policy"].map(names)
