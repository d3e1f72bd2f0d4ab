"""The paper's error: how far a car is from the expert's at the same time, on the same map.

It is no distance from any path. A car that drives the expert's very line, but a second later, is a
second's drive away all the lap; one that waits where the expert happens to be is near. It measures
speed above all, and is given only to be read beside the published figure. Distance from the road's
centre (``lateral_rmse``) and progress say how well a lap was driven.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from evaluation.comparison.entrants import method_of, seed_of
from evaluation.comparison.intervals import crossed_bootstrap, matrix
from evaluation.errors import EvaluationError
from evaluation.statistics import Interval
from maps.files import parquet_file
from nsac_core.benchmarks.contenders import title
from nsac_core.benchmarks.sheets import Field, Sheet

COLUMNS = ["policy", "lap", "map", "step", "x", "y", "progress"]
"""Columns of steps that are needed."""

_LAP = ["lap", "map"]


def distances(steps: pd.DataFrame, expert: pd.DataFrame) -> pd.DataFrame:
    """Mean distance to the expert's car at the same time, for every lap.

    The mean is over the steps that both laps have: whoever is done first ends the comparison.

    Args:
        steps: Of any policies; the columns ``COLUMNS``.
        expert: Of the expert alone, on the same laps.

    Returns:
        One row a lap: ``policy, lap, map, expert_distance`` (world units), ``common_steps``, and
        ``progress_gap``, the mean by which the expert is ahead along the road (laps).

    Raises:
        EvaluationError: The expert did not drive one of the laps.
    """
    keys = ["policy", *_LAP]
    names = [*_LAP, "step", "x", "y", "progress"]
    both = steps[COLUMNS].merge(expert[names], on=[*_LAP, "step"], suffixes=("", "_expert"))
    laps, driven = (frame[keys].drop_duplicates() for frame in (steps, both))
    if len(driven) < len(laps):
        first = laps.merge(driven, how="left", indicator=True).query("_merge != 'both'").iloc[0]
        policy, lap, name = first[keys]
        raise EvaluationError(f"the expert did not drive lap {lap} of {policy}, on {name}")
    both["expert_distance"] = np.hypot(both["x"] - both["x_expert"], both["y"] - both["y_expert"])
    both["progress_gap"] = both["progress_expert"] - both["progress"]
    return (
        both.groupby(keys, sort=False)
        .agg(
            expert_distance=("expert_distance", "mean"),
            common_steps=("step", "size"),
            progress_gap=("progress_gap", "mean"),
        )
        .reset_index()
    )


def by_method(laps: pd.DataFrame, seed: int = 0) -> dict[str, Interval]:
    """The mean over all laps of a method's clones, with its interval over models and tracks.

    Args:
        laps: As from ``distances``.
        seed: Of the bootstrap.
    """
    rng = np.random.default_rng(seed)
    laps = laps.assign(model=[seed_of(policy) or 0 for policy in laps["policy"]])
    return {
        str(method): crossed_bootstrap(matrix(own, "expert_distance"), rng)
        for method, own in laps.groupby(laps["policy"].map(method_of), sort=False)
    }


def tables(run: Path, ceilings: Path, expert: str = "ppo") -> list[Sheet]:
    """The distances of a run's methods, and by how much the expert was ahead.

    Args:
        run: Folder of a run.
        ceilings: Folder of the run in which the expert drove the same laps; may be the same.
        expert: What that run calls it.

    Raises:
        EvaluationError: It did not drive there, or not the same laps.
    """
    steps, experts = (
        parquet_file.read(folder / "steps.parquet", columns=COLUMNS) for folder in (run, ceilings)
    )
    experts = experts[experts["policy"] == expert]
    if experts.empty:
        raise EvaluationError(f"{ceilings}: {expert!r} drove no lap there")
    laps = distances(steps[steps["policy"] != expert], experts)
    gaps = laps.groupby(laps["policy"].map(method_of), sort=False)["progress_gap"].mean()
    rows: list[list[Field]] = [
        [
            title(method),
            f"{found.estimate:.1f} [{found.low:.1f}, {found.high:.1f}]",
            f"{100 * gaps[method]:+.1f} %",
        ]
        for method, found in by_method(laps).items()
    ]
    caption = (
        f"The paper's error: mean distance in world units to the car of {expert} at the same time, "
        "with 95 % bootstrap intervals over models and tracks. It measures speed: the last column "
        "is by how much of a lap the expert is ahead, on average."
    )
    head = ["driver", "distance to the expert", "expert ahead"]
    return [Sheet("expert_distance", caption, head, rows)]
