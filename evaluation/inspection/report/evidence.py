"""What there is to show of a lap beside its steps; every part of it may be missing."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from evaluation.inspection.seen_laps import SeenLap

SALIENCY, REGIONS, TRACES = "saliency.npz", "regions.npz", "traces.parquet"
"""Files of the folder of a seen lap."""


@dataclass(frozen=True)
class Evidence:
    """A seen lap with all that was found out about it.

    Attributes:
        lap: Its steps and frames.
        saliency: Where the driver looked at each step, 0 to 255 of that step's own maximum,
            ``(steps, rows, columns)``.
        regions: What each pixel shows, ``(steps, rows, columns)``.
        traces: A row a step, a column a neuron or another quantity of the driver.
    """

    lap: SeenLap
    saliency: NDArray[np.uint8] | None
    regions: NDArray[np.uint8] | None
    traces: pd.DataFrame | None

    @classmethod
    def of(cls, lap: SeenLap) -> "Evidence":
        """Reads what lies in the lap's folder.

        Raises:
            EvaluationError: A file is of another lap.
        """
        found = _array(lap.folder / SALIENCY, "saliency")
        saliency = None if found is None else _bytes(found)
        regions = _array(lap.folder / REGIONS, "regions")
        file = lap.folder / TRACES
        traces = pd.read_parquet(file) if file.is_file() else None
        for name, part in ((SALIENCY, saliency), (REGIONS, regions), (TRACES, traces)):
            if part is not None and len(part) != len(lap.steps):
                raise EvaluationError(
                    f"{lap.folder / name}: {len(part)} steps, but the lap has {len(lap.steps)}; "
                    "remove it"
                )
        return cls(lap, saliency, regions, traces)


def _array(file: Path, key: str) -> NDArray[np.generic] | None:
    if not file.is_file():
        return None
    with np.load(file) as arrays:
        if key not in arrays:
            raise EvaluationError(f"{file}: has no array {key!r}; remove it")
        return np.asarray(arrays[key])


def _bytes(saliency: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Each map by its own maximum, 0 to 255."""
    if saliency.dtype == np.uint8:
        return saliency.astype(np.uint8, copy=False)
    values = np.nan_to_num(saliency.astype(np.float32))
    peaks = values.max(axis=(1, 2), keepdims=True)
    return np.asarray(np.round(255 * values / np.where(peaks > 0, peaks, 1)), dtype=np.uint8)
