"""The tables of drives on the stand-in."""

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from drive.udacity.simulator.vehicle import MPH
from evaluation.udacity.drivers import SCRIPTED
from evaluation.udacity.measures import under_change
from evaluation.udacity.names import titles
from nsac_core.benchmarks.sheets import Direction, Field, Number, Sheet, with_best

FloatArray = NDArray[np.float64]

COLUMNS: dict[str, tuple[str, float, int, Direction]] = {
    "autonomy": ("Autonomy (%)", 100.0, 1, "high"),
    "interventions": ("Interventions", 1.0, 0, "low"),
    "lateral_rmse": ("Lateral error, RMS (m)", 1.0, 3, "low"),
    "lateral_max": ("largest (m)", 1.0, 2, "low"),
    "mean_speed": ("Mean speed (mph)", 1.0 / MPH, 1, None),
    "steering_change": ("Change of steer a frame", 1.0, 4, "low"),
    "latency_p50_ms": ("Decision, median (ms)", 1.0, 1, None),
    "latency_p99_ms": ("99th percentile (ms)", 1.0, 1, None),
}
"""Of the table of clean drives: head, factor, digits, and what is better."""


def sheets(drives: pd.DataFrame, laps: pd.DataFrame, speed: float) -> list[Sheet]:
    """All tables, for each track those that there is something for.

    Args:
        drives: As from ``measures.drive_table``, with the column ``condition``.
        laps: As from ``measures.lap_table``.
        speed: In mph, for the words.
    """
    found = []
    for track in drives["track"].unique():
        own = drives[drives["track"] == track]
        clean = (own["late_ms"] == 0) & (own["severity"] == 0)
        found.append(_clean(own[clean], str(track), speed))
        unchanged = (laps["late_ms"] == 0) & (laps["severity"] == 0)
        found.append(_laps(laps[unchanged & (laps["track"] == track)], str(track)))
        late, perturbed = (under_change(own, name) for name in ("late_ms", "severity"))
        if len(late):
            found.append(_by_condition(late, str(track), "latency", "commands late"))
        if len(perturbed):
            words = "one perturbation at a time"
            found.append(_by_condition(perturbed, str(track), "perturbations", words))
    return found


def _clean(drives: pd.DataFrame, track: str, speed: float) -> Sheet:
    own = drives_in_order(drives)
    rivals = own.index != SCRIPTED
    columns = {name: _numbers(own[name].to_numpy(), rivals, name) for name in COLUMNS}
    rows: list[list[Field]] = [
        [words, f"{laps:.1f}", *(columns[name][place] for name in COLUMNS)]
        for place, (words, laps) in enumerate(
            zip(titles(drives).values(), own["laps"], strict=True)
        )
    ]
    return Sheet(
        f"autonomy_{track}",
        f"Drives of {track} at {speed:g} mph, nothing changed. Autonomy is 1 - 6 s for each "
        "intervention by the time driven, at least 0. An intervention puts the car back on the "
        "centre line, which flatters the lateral error of a driver that needs it.",
        ["driver", "laps", *(head for head, *_ in COLUMNS.values())],
        rows,
    )


def _numbers(values: FloatArray, rivals: NDArray[np.bool_], name: str) -> list[Number]:
    """A column with the best of the rivals in bold."""
    _, factor, digits, better = COLUMNS[name]
    numbers = [Number(factor * value, digits=digits) for value in values]
    best = iter(with_best([n for n, rival in zip(numbers, rivals, strict=True) if rival], better))
    return [next(best) if rival else n for n, rival in zip(numbers, rivals, strict=True)]


def _laps(laps: pd.DataFrame, track: str) -> Sheet:
    """Lateral error and interventions of every lap."""
    numbers = sorted(laps["lap"].unique())
    rows: list[list[Field]] = []
    for policy, words in titles(laps).items():
        own = laps[laps["policy"] == policy].set_index("lap").reindex(numbers)
        cells = [
            "-" if math.isnan(rmse) else f"{rmse:.3f} ({put_back:.0f})"
            for rmse, put_back in zip(own["lateral_rmse"], own["interventions"], strict=True)
        ]
        rows.append([words, *cells])
    return Sheet(
        f"laps_{track}",
        f"Lateral error (RMS, m) and interventions (in brackets) of each lap of {track}.",
        ["driver", *(f"lap {number + 1}" for number in numbers)],
        rows,
    )


def _by_condition(drives: pd.DataFrame, track: str, name: str, words: str) -> Sheet:
    """Autonomy and lateral error of each policy under each condition."""
    conditions = list(drives["condition"].unique())
    rows: list[list[Field]] = []
    for policy, called in titles(drives).items():
        own = drives[drives["policy"] == policy].set_index("condition").reindex(conditions)
        rows.append([called, *(_cell(own.loc[condition]) for condition in conditions)])
    changed = drives[drives["condition"] != conditions[0]]
    usual, other = (f"{round(own['laps'].max(), 1):g}" for own in (drives, changed))
    return Sheet(
        f"{name}_{track}",
        f"Autonomy on {track} with {words}, the interventions a lap in brackets, and the lateral "
        f"error (RMS). Laps of a drive: {usual} with nothing changed, else {other}.",
        ["driver", *conditions],
        rows,
    )


def _cell(drive: "pd.Series[float]") -> str:
    if math.isnan(drive["autonomy"]):
        return "-"
    autonomy = f"{100 * drive['autonomy']:.0f} %"
    put_back = f" ({drive['interventions_a_lap']:.1f})" if drive["interventions"] else ""
    return f"{autonomy}{put_back}, {drive['lateral_rmse']:.2f} m"


def drives_in_order(drives: pd.DataFrame) -> pd.DataFrame:
    """One row a policy, in the order of tables."""
    return drives.set_index("policy").loc[list(titles(drives))]
