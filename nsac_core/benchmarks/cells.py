"""A cell: one contender with one seed, and the file of what it predicted."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from pandas.api.types import is_numeric_dtype
from torch import Tensor

from maps.files import json_file, parquet_file
from maps.files.damaged import DamagedError
from maps.files.parquet_file import CHECKSUMS
from maps.files.plain_values import checked
from maps.files.whole import whole
from nsac_core.benchmarks.contenders import Contender
from nsac_core.methods import Prediction

ONLY_PART = "test"
"""Name of a test part that has no name of its own."""

_NUMBERS = ("seed", "sigma", "row", "output", "y", "mean", "aleatoric", "epistemic")

_FACTS = b"nsac-bench"
"""Key of the facts in a file's metadata."""


@dataclass(frozen=True)
class Cell:
    """One contender with one seed.

    Attributes:
        contender: What is trained.
        seed: Of the split and of everything random.
        epochs: Steps of its progress.
    """

    contender: Contender
    seed: int
    epochs: int = 1

    @property
    def name(self) -> str:
        """Stem of its files."""
        return f"{self.contender.name}-{self.seed}"

    @property
    def cost(self) -> float:
        """About how long it takes: longest first keeps all processes busy to the end."""
        return self.epochs * self.contender.cost


@dataclass(frozen=True)
class Result:
    """What a cell came to.

    Attributes:
        predictions: As ``frame`` makes them, for the test rows as they are and perturbed.
        facts: Numbers about the training: seconds, parameters, validation scores.
    """

    predictions: pd.DataFrame
    facts: dict[str, float]


def frame(
    prediction: Prediction, y: Tensor, sigma: float, part: str | Sequence[str] = ONLY_PART
) -> pd.DataFrame:
    """A prediction of test rows as a table, one value a line.

    Args:
        prediction: ``(batch, out)``.
        y: Targets ``(batch, out)``.
        sigma: Size of the perturbation of the rows; 0 for rows as they are.
        part: Name of the test part that they are of, or one name a row; a row with an empty name
            is left out.
    """
    rows, outputs = y.shape
    parts = [part] * rows if isinstance(part, str) else part
    values = {"y": y, **vars(prediction)}
    table = pd.DataFrame(
        {
            "part": np.repeat(np.asarray(parts, dtype=str), outputs),
            "sigma": float(sigma),
            "row": torch.arange(rows).repeat_interleave(outputs).numpy(),
            "output": torch.arange(outputs).repeat(rows).numpy(),
            **{name: part.detach().cpu().flatten().numpy() for name, part in values.items()},
        }
    )
    return table[table["part"] != ""]


def prediction_of(rows: pd.DataFrame) -> tuple[Prediction, Tensor]:
    """The prediction and its targets that ``frame`` has made a table of."""
    outputs = int(rows["output"].max()) + 1
    columns = ("mean", "aleatoric", "epistemic", "y")
    mean, aleatoric, epistemic, y = (
        torch.from_numpy(rows[name].to_numpy(copy=True)).view(-1, outputs) for name in columns
    )
    return Prediction(mean, aleatoric, epistemic), y


def file_of(folder: Path, cell: Cell) -> Path:
    """Where a run keeps a cell."""
    return folder / "cells" / f"{cell.name}.parquet"


def write(file: Path, cell: Cell, result: Result) -> None:
    """Writes a cell, whole or not at all."""
    rows = result.predictions.copy()
    rows.insert(0, "seed", cell.seed)
    rows.insert(0, "model", cell.contender.name)
    table = pa.Table.from_pandas(rows, preserve_index=False)
    metadata = {**table.schema.metadata, _FACTS: json.dumps(result.facts).encode()}
    with whole(file) as aside:
        pq.write_table(table.replace_schema_metadata(metadata), aside, **CHECKSUMS)


def read(file: Path) -> tuple[pd.DataFrame, dict[str, float]]:
    """Rows of a cell, and its facts."""
    table = parquet_file.read_table(file)
    try:
        facts = json_file.parse((table.schema.metadata or {})[_FACTS].decode())
        rows = with_part(table.to_pandas())
        _check(rows, facts)
    except (LookupError, ValueError) as fault:
        raise DamagedError(
            f"{file}: not what a cell of a benchmark came to ({fault}); remove it and repeat the "
            "command that made it"
        ) from None
    return rows, facts


def _check(rows: pd.DataFrame, facts: object) -> None:
    """Refuses what ``write`` cannot have written."""
    lacking = [name for name in ("model", "part", *_NUMBERS) if name not in rows]
    if lacking:
        raise ValueError(f"no column {lacking[0]!r}")
    words = [name for name in _NUMBERS if not is_numeric_dtype(rows[name])]
    if words:
        raise ValueError(f"the column {words[0]!r} does not hold numbers")
    if rows.empty:
        raise ValueError("no row")
    checked("facts", facts, dict[str, float | None])


def with_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the column ``part``, which those of older runs lack: they had one test part."""
    if "part" not in rows:
        rows.insert(list(rows.columns).index("sigma"), "part", ONLY_PART)
    return rows
