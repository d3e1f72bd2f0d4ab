"""What there is to show of a lap beside its steps; every part of it may be missing."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from drive.carracing.regions import Region
from evaluation.errors import EvaluationError
from evaluation.inspection import traces
from evaluation.inspection.saliency.looked import FILE as SALIENCY
from evaluation.inspection.saliency.looked import Looked, seen_regions
from evaluation.inspection.saliency.region_recorder import RegionRecorder
from evaluation.inspection.saliency.scores import shares
from evaluation.inspection.seen_laps import SeenLap
from evaluation.inspection.traces import TraceRecorder


@dataclass(frozen=True)
class Evidence:
    """A seen lap with all that was found out about it.

    Attributes:
        lap: Its steps and frames.
        saliency: Where the driver looked at each step, 255 at that step's own maximum, uint8
            ``(steps, rows, columns)``.
        shares: Share of the saliency on each region at each step, by the region's name, each
            ``(steps,)``; empty where it is not known.
        traces: A row a step, a column a neuron or another quantity of the driver.
        lens: Words on what the saliency shows.
    """

    lap: SeenLap
    saliency: NDArray[np.uint8] | None = None
    shares: dict[str, NDArray[np.float64]] | None = None
    traces: pd.DataFrame | None = None
    lens: str = ""

    @classmethod
    def of(cls, lap: SeenLap) -> "Evidence":
        """Reads what lies in the lap's folder.

        Raises:
            EvaluationError: A file is of another lap.
        """
        looked, own = Looked.read(lap.folder), traces.read(lap.folder)
        saliency = None if looked is None else looked.saliency
        recorded = saliency is not None and (lap.folder / RegionRecorder.file).is_file()
        regions = seen_regions(lap) if recorded else None
        for name, part in (
            (SALIENCY, saliency),
            (RegionRecorder.file, regions),
            (TraceRecorder.file, own),
        ):
            if part is not None and len(part) != len(lap.steps):
                raise EvaluationError(
                    f"{lap.folder / name}: {len(part)} steps, but the lap has {len(lap.steps)}; "
                    "remove it"
                )
        words = "" if looked is None else looked.lens.words
        return cls(lap, saliency, _by_name(saliency, regions), own, words)


def _by_name(
    saliency: NDArray[np.uint8] | None, regions: NDArray[np.uint8] | None
) -> dict[str, NDArray[np.float64]] | None:
    if saliency is None or regions is None:
        return None
    parts = [shares(saliency[at], regions[at]) for at in _pieces(len(saliency))]
    found = np.concatenate(parts)
    return {region.label: found[:, region] for region in Region if np.nansum(found[:, region])}


def _pieces(steps: int) -> list[slice]:
    """Some steps at a time, for the sake of memory."""
    return [slice(first, first + 100) for first in range(0, steps, 100)]
