"""Pictures of drives on the stand-in: path, lateral error, autonomy by latency and perturbation."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from drive.road_picture import draw_road
from drive.track import Track
from evaluation.figures import GREY, VERMILION
from evaluation.metrics.base import column
from evaluation.udacity.names import colour_of, titles

FloatArray = NDArray[np.float64]

BIN = 2.0
"""Metres of centre line over which lateral errors are averaged."""


def trajectories(steps: pd.DataFrame, tracks: dict[str, Track], policy: str) -> Figure:
    """The path of one policy on each track's map, coloured by its distance from the centre line.

    Args:
        steps: Of drives on which nothing was changed.
        tracks: By name.
        policy: Whose path.
    """
    figure = Figure(figsize=(6.2 * len(tracks), 5.4), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(tracks)))
    for axes, (name, track) in zip(panels, tracks.items(), strict=True):
        own = steps[(steps["policy"] == policy) & (steps["track"] == name)]
        draw_road(axes, track)
        error = np.abs(column(own, "lateral_error"))
        dots = axes.scatter(
            *(column(own, "x"), column(own, "y")),
            c=error,
            s=3,
            cmap="viridis",
            vmin=0.0,
            linewidth=0,
            rasterized=True,
        )
        put_back = own[own["interventions"] > 0]
        if len(put_back):
            words = "intervention"
            axes.plot(put_back["x"], put_back["y"], "x", color=VERMILION, ms=9, label=words)
        figure.colorbar(dots, ax=axes, label="|Lateral error| (m)", shrink=0.7)
        axes.plot(*track.points[0], "o", color=VERMILION, ms=6, label="start")
        axes.legend(frameon=False, loc="best")
        axes.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
        axes.set_title(f"{titles(own)[policy]}, {name}")
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def lateral_error(steps: pd.DataFrame, tracks: dict[str, Track]) -> Figure:
    """Signed lateral error along each track, mean over the laps, and the curvature below.

    Args:
        steps: Of drives on which nothing was changed.
        tracks: By name.
    """
    figure = Figure(figsize=(10, 4.2 * len(tracks)), layout="constrained")
    rows = figure.subplots(2 * len(tracks), 1, height_ratios=[3, 1] * len(tracks))
    for number, (name, track) in enumerate(tracks.items()):
        axes, bends = rows[2 * number], rows[2 * number + 1]
        axes.axhspan(-track.half_width, track.half_width, color="#eeeeee", linewidth=0)
        own = steps[steps["track"] == name]
        largest = 0.5
        for policy, words in titles(own).items():
            arc, error = along(own[own["policy"] == policy], track.length)
            largest = max(largest, 1.2 * float(np.nanmax(np.abs(error))))
            axes.plot(arc, error, color=colour_of(policy), lw=1.2, label=words)
        axes.set(title=name, ylabel="Lateral error (m, left +)", xlim=(0, track.length))
        axes.set_ylim(-largest, largest)
        axes.tick_params(labelbottom=False)
        arc = np.arange(0.0, track.length, BIN)
        bends.plot(arc, track.curvature_at(arc), color=GREY, lw=1.0)
        bends.set(xlabel="Arc length (m)", ylabel="Bend (1/m)", xlim=(0, track.length))
        for panel in (axes, bends):
            panel.spines[["top", "right"]].set_visible(False)
    handles, labels = rows[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def along(steps: pd.DataFrame, length: float) -> tuple[FloatArray, FloatArray]:
    """Mean lateral error by arc length, NaN where the car never was.

    Args:
        steps: Of one drive.
        length: Of the track, metres.
    """
    count = max(1, round(length / BIN))
    place = (column(steps, "arc") / length * count).astype(np.int64) % count
    total = np.bincount(place, column(steps, "lateral_error"), count)
    times = np.bincount(place, minlength=count)
    mean = np.divide(total, times, out=np.full(count, np.nan), where=times > 0)
    return (np.arange(count) + 0.5) * length / count, mean


def by_latency(drives: pd.DataFrame, speed: float) -> Figure:
    """Autonomy, and root mean square of the lateral error, against the latency on each track.

    Args:
        drives: Those without perturbation, one row each.
        speed: In mph, for the words.
    """
    tracks = list(drives["track"].unique())
    figure = Figure(figsize=(5.2 * len(tracks), 6.4), layout="constrained")
    panels = figure.subplots(2, len(tracks), squeeze=False, sharex=True, sharey="row")
    for number, track in enumerate(tracks):
        own = drives[drives["track"] == track]
        for axes, name, factor in zip(
            panels[:, number], ("autonomy", "lateral_rmse"), (100.0, 1.0), strict=True
        ):
            for policy, words in titles(own).items():
                line = own[own["policy"] == policy].sort_values("late_ms")
                axes.plot(
                    *(column(line, "late_ms"), factor * column(line, name)),
                    color=colour_of(policy),
                    marker="o",
                    label=words,
                )
            axes.spines[["top", "right"]].set_visible(False)
        panels[0, number].set_title(f"{track}, {speed:g} mph")
        panels[1, number].set_xlabel("Latency (ms)")
    panels[0, 0].set_ylabel("Autonomy (%)")
    panels[1, 0].set_ylabel("Lateral error, RMS (m)")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def by_perturbation(drives: pd.DataFrame) -> Figure:
    """Autonomy under each perturbation, a bar for each policy, a panel for each track.

    Args:
        drives: Clean and perturbed, one row each, with the column ``condition``.
    """
    tracks = list(drives["track"].unique())
    figure = Figure(figsize=(11, 3.4 * len(tracks)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(len(tracks), 1, sharex=True))
    for axes, track in zip(panels, tracks, strict=True):
        own = drives[drives["track"] == track]
        names, entrants = list(own["condition"].unique()), titles(own)
        width = 0.8 / len(entrants)
        for number, (policy, words) in enumerate(entrants.items()):
            bars = own[own["policy"] == policy].set_index("condition")["autonomy"].reindex(names)
            places = np.arange(len(names)) + width * (number - (len(entrants) - 1) / 2)
            axes.bar(places, 100 * bars, width, color=colour_of(policy), label=words)
        axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
        axes.set(ylabel="Autonomy (%)", title=track, ylim=(0, 100))
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure
