"""Pictures of laps: the map with the car's path, errors and actions along the lap, returns."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

import maps
from drive import road_picture
from drive.track import Track
from evaluation.labels import labelled
from evaluation.metrics.base import column
from evaluation.metrics.uncertainty import total_sigma
from evaluation.perturbations import CLEAN
from maps.files.picture_file import save_picture
from policies.protocol import ACTIONS

FloatArray = NDArray[np.float64]

BLUE, ORANGE, VERMILION, GREY = "#0072B2", "#E69F00", "#D55E00", "#8a8a8a"  # Okabe and Ito's
COLOURS = {"speed": ("Speed (units/s)", False), "lateral_error": ("|Lateral error| (units)", True)}
"""What a path may be coloured by: the colour bar's words, and whether the magnitude is shown."""
NAMES = {"steer": "Steer (right positive)", "gas": "Gas", "brake": "Brake"}


def save_all(folder: Path, laps: pd.DataFrame, steps: pd.DataFrame) -> list[Path]:
    """Writes the returns, and the worst and the middle clean lap of each policy, as PNG files.

    Args:
        folder: Where to; made where missing.
        laps: As from ``drive_laps``.
        steps: Likewise.

    Returns:
        The files.
    """
    pictures = {"returns": returns(labelled(laps))}
    laps, steps = (frame[frame["perturbation"] == CLEAN.name] for frame in (laps, steps))
    for policy, own in laps.groupby("policy", sort=False):
        order = own.sort_values("return", kind="stable")
        ranks = {"worst": 0, "middle": len(order) // 2}
        for rank, index in ranks.items():
            lap = order.iloc[index]
            path = steps[(steps["policy"] == policy) & (steps["lap"] == lap["lap"])]
            stem = f"{_file_name(str(policy))}_{rank}"
            for colour in COLOURS:
                pictures[f"{stem}_map_{colour}"] = lap_map(path, colour)
            pictures[f"{stem}_lateral_error"] = lateral_error(path)
            pictures[f"{stem}_actions"] = actions(path)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, figure in pictures.items():
        files.append(folder / f"{name}.png")
        save_picture(figure, files[-1])
    return files


def lap_map(lap: pd.DataFrame, colour: str = "speed") -> Figure:
    """The road, and the car's path on it, coloured.

    Args:
        lap: Steps of one lap.
        colour: A key of ``COLOURS``.
    """
    figure = Figure(figsize=(6.4, 5.6), layout="constrained")
    axes = figure.add_subplot()
    words, magnitude = COLOURS[colour]
    values = column(lap, colour)
    draw_road(axes, lap)
    lines = draw_path(axes, lap, np.abs(values) if magnitude else values)
    figure.colorbar(lines, ax=axes, label=words, shrink=0.7)
    path = path_of(lap)
    axes.plot(*path[0], "o", color=VERMILION, markersize=6, label="start")
    axes.plot(*path[-1], "s", color=VERMILION, markersize=6, label="end")
    axes.legend(frameon=False, loc="best")
    axes.set(aspect="equal", xlabel="x (world units)", ylabel="y (world units)", title=_title(lap))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def draw_road(axes: Axes, lap: pd.DataFrame) -> None:
    """Draws the road that a lap was driven on."""
    road_picture.draw_road(axes, track_of(lap))


def draw_path(
    axes: Axes,
    lap: pd.DataFrame,
    values: FloatArray,
    limits: tuple[float, float] | None = None,
    width: float = 2.0,
) -> LineCollection:
    """Draws the car's path in the colours of a value.

    Args:
        axes: Where.
        lap: Steps of one lap.
        values: One a step, ``(steps,)``: the colour of the way that the step drove.
        limits: Values at the ends of the colours; those that occur by default.
        width: Of the line, points.
    """
    path = path_of(lap)
    ways = list(np.stack([path[:-1], path[1:]], axis=1))
    lines = LineCollection(ways, array=values[1:], cmap="viridis", linewidth=width)
    if limits is not None:
        lines.set_clim(*limits)
    axes.add_collection(lines)
    return lines


def track_of(lap: pd.DataFrame) -> Track:
    """The road that a lap was driven on, by its steps."""
    first = lap.iloc[0]
    return Track(maps.load(str(first["map"])).centre_line, float(first["half_width"]))


def path_of(lap: pd.DataFrame) -> FloatArray:
    """Where the car was after each step, ``(steps, 2)``."""
    return np.column_stack([column(lap, "x"), column(lap, "y")])


def lateral_error(lap: pd.DataFrame) -> Figure:
    """Signed lateral error along the lap, with the edges of the road."""
    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.add_subplot()
    along = 100 * column(lap, "progress")
    half = float(lap["half_width"].iloc[0])
    axes.axhspan(-half, half, color="#eeeeee", linewidth=0, label="road")
    axes.plot(along, column(lap, "lateral_error"), color=BLUE, linewidth=1.2)
    axes.set(
        xlabel="Progress (% of the lap)",
        ylabel="Lateral error (units, left +)",
        title=_title(lap),
    )
    axes.legend(frameon=False, loc="upper right")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def actions(lap: pd.DataFrame) -> Figure:
    """Predicted actions along the lap, with bands of one and two standard deviations.

    Blue: the total uncertainty; orange: its epistemic part.
    """
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    panels = figure.subplots(len(ACTIONS), 1, sharex=True)
    along = 100 * column(lap, "progress")
    for axes, name in zip(panels, ACTIONS, strict=True):
        mean = column(lap, f"mean_{name}")
        total, epistemic = total_sigma(lap, name), column(lap, f"epistemic_{name}")
        for part, sigma, colour, alphas in (
            ("total", total, BLUE, (0.2, 0.35)),
            ("epistemic", epistemic, ORANGE, (0.5, 0.75)),
        ):
            for times, alpha in zip((2, 1), alphas, strict=True):
                band = (mean - times * sigma, mean + times * sigma)
                label = f"{part}, ±{times} sigma"
                axes.fill_between(along, *band, color=colour, alpha=alpha, linewidth=0, label=label)
        axes.plot(along, mean, color="black", linewidth=0.9, label="predicted mean")
        axes.set_ylabel(NAMES[name])
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_title(_title(lap))
    panels[0].legend(frameon=False, ncols=3, fontsize="small", loc="best")
    panels[-1].set_xlabel("Progress (% of the lap)")
    return figure


def returns(laps: pd.DataFrame) -> Figure:
    """Returns of all laps: a dot each, a box for the quartiles; laps not completed stand out."""
    groups = list(laps.groupby("policy", sort=False))
    figure = Figure(figsize=(8, 1.4 + 0.9 * len(groups)), layout="constrained")
    axes = figure.add_subplot()
    for row, (_, own) in enumerate(groups):
        values, completed = column(own, "return"), own["completed"].to_numpy(dtype=bool)
        axes.boxplot(
            values, orientation="horizontal", positions=[row], widths=0.5, showfliers=False
        )
        height = row + 0.18 * np.sin(np.arange(len(values)) * 2.4)  # spread, the same each time
        for chosen, marker, colour, label in (
            (completed, "o", BLUE, "completed"),
            (~completed, "X", VERMILION, "not completed"),
        ):
            axes.scatter(
                *(values[chosen], height[chosen]),
                s=22,
                marker=marker,
                color=colour,
                alpha=0.75,
                linewidth=0,
                label=label if row == 0 else None,
            )
    axes.axvline(860, color=GREY, linewidth=1, linestyle="--", label="success, 860")
    axes.set_yticks(range(len(groups)), [str(policy) for policy, _ in groups])
    axes.set(xlabel="Return of a lap")
    axes.invert_yaxis()
    figure.legend(frameon=False, ncols=3, fontsize="small", loc="outside upper right")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _title(lap: pd.DataFrame) -> str:
    first = lap.iloc[0]
    return f"{first['policy']} on {first['map']}, return {column(lap, 'reward').sum():.1f}"


def _file_name(policy: str) -> str:
    return "".join(c if c.isalnum() or c in "-." else "_" for c in policy)
