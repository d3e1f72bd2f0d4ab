"""Tables and figure of the selective drivers: takeover rate against departures and completion."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.comparison.intervals import clustered_wilson, crossed_bootstrap, matrix
from evaluation.comparison.selective import read
from evaluation.statistics import Interval
from nsac_core.benchmarks.contenders import order, title
from nsac_core.benchmarks.figures import COLOURS
from nsac_core.benchmarks.sheets import Field, Sheet

_STYLES = {"epistemic": "-", "aleatoric": "-.", "total": "--"}


def curve(laps: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """What each setting came to, by method, and its control beside it.

    Args:
        laps: As from ``selective.read``.
        seed: Of the bootstrap.

    Returns:
        One row a method, part and quantile; the part of a clone alone is ``none``. Columns
        ``method, part, quantile, models, laps``; ``share`` of the steps taken over; per lap
        ``takeovers`` and ``departures``; ``completed``; ``random_share``, ``random_departures`` and
        ``random_completed`` of the controls; ``saved``, the departures a lap of the controls less
        the driver's own, on the same laps. Departures, completed and saved have ``_low`` and
        ``_high``, 95 % over models and tracks.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for keys, own in laps.groupby(["method", "part", "quantile"], sort=False):
        driver, control = (own[(own["control"] != "") == kind] for kind in (False, True))
        rows.append(
            {
                **dict(zip(("method", "part", "quantile"), keys, strict=True)),
                **_measured(driver, rng),
                **_controlled(driver, control, rng),
            }
        )
    found = pd.DataFrame(rows)
    found = found.assign(place=found["method"].map(order), supervised=found["part"] != "none")
    by = ["place", "method", "supervised", "part", "quantile"]
    found = found.sort_values(by, ascending=[True, True, True, True, False])
    return found.drop(columns=["place", "supervised"]).reset_index(drop=True)


def tables(out: Path) -> list[Sheet]:
    """One table: a row for each setting, after the clones alone.

    Args:
        out: Folder of a study.
    """
    found = curve(read(out))
    rows: list[list[Field]] = [_fields(row) for _, row in found.iterrows()]
    caption = (
        "Clones that hand over to the privileged driver where the steering is less certain than on "
        "the given share of their validation steps, and controls that hand over as much at random "
        "times. Intervals of 95 % over models and tracks; saved: the control's departures a lap "
        "less the driver's, on the same laps."
    )
    head = ["method", "part", "quantile", "takeovers a lap", "taken over", "taken over, at random"]
    head += ["departures a lap", "departures a lap, at random", "saved"]
    head += ["completed", "completed, at random"]
    return [Sheet("selective", caption, head, rows)]


def figures(out: Path) -> dict[str, Figure]:
    """One figure: departures and completion against the share that the supervisor drove.

    Args:
        out: Folder of a study.
    """
    found = curve(read(out))
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for method, own in found.groupby("method", sort=False):
        _draw(left, str(method), own, "departures", 1.0)
        _draw(right, str(method), own, "completed", 100.0)
    left.set_ylabel("Departures a lap")
    right.set_ylabel("Laps completed (%)")
    for axes in (left, right):
        axes.set_xlabel("Driven by the supervisor (% of steps)")
        axes.set_xlim(left=0)
        axes.grid(color="0.92")
        axes.spines[["top", "right"]].set_visible(False)
    left.set_ylim(bottom=0)
    left.plot([], [], ":", color="0.3", label="at random")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return {"selective": figure}


def _measured(laps: pd.DataFrame, rng: np.random.Generator) -> dict[str, float]:
    if laps.empty:
        return {}
    departures = crossed_bootstrap(matrix(laps, "departures"), rng)
    completed = clustered_wilson(matrix(laps, "completed"))
    return {
        "models": laps["model"].nunique(),
        "laps": len(laps),
        "share": _share(laps),
        "takeovers": float(laps["takeovers"].mean()),
        **_ends("departures", departures),
        **_ends("completed", completed),
    }


def _controlled(
    driver: pd.DataFrame, control: pd.DataFrame, rng: np.random.Generator
) -> dict[str, float]:
    if len(control) != len(driver):
        nothing = Interval(math.nan, math.nan, math.nan)
        values = dict.fromkeys(("random_share", "random_departures", "random_completed"), math.nan)
        return {**values, **_ends("saved", nothing)}
    saved = matrix(control, "departures") - matrix(driver, "departures")
    return {
        "random_share": _share(control),
        "random_departures": float(control["departures"].mean()),
        "random_completed": float(control["completed"].mean()),
        **_ends("saved", crossed_bootstrap(saved, rng)),
    }


def _share(laps: pd.DataFrame) -> float:
    """Share of all steps that the supervisor drove."""
    return float((laps["takeover_share"] * laps["steps"]).sum() / laps["steps"].sum())


def _ends(name: str, found: Interval) -> dict[str, float]:
    return {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}


def _fields(row: "pd.Series[float]") -> list[Field]:
    alone = str(row["part"]) == "none"
    return [
        title(str(row["method"])),
        "alone" if alone else str(row["part"]),
        "-" if alone else f"{row['quantile']:g}",
        _number(row["takeovers"], "{:.1f}"),
        _number(100 * row["share"], "{:.1f} %"),
        _number(100 * row["random_share"], "{:.1f} %"),
        _between(row, "departures", "{:.2f}", 1.0),
        _number(row["random_departures"], "{:.2f}"),
        _between(row, "saved", "{:+.2f}", 1.0),
        _between(row, "completed", "{:.0f} %", 100.0),
        _number(100 * row["random_completed"], "{:.0f} %"),
    ]


def _between(row: "pd.Series[float]", name: str, style: str, factor: float) -> str:
    middle, low, high = (factor * row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if not math.isfinite(low):
        return _number(middle, style)
    return f"{style.format(middle)} [{style.format(low)}, {style.format(high)}]"


def _number(value: float, style: str) -> str:
    return style.format(value) if math.isfinite(value) else "-"


def _draw(axes: Axes, method: str, rows: pd.DataFrame, name: str, factor: float) -> None:
    colour = COLOURS.get(method, "0.45")
    for number, (part, own) in enumerate(_lines(rows)):
        share = 100 * own["share"].to_numpy()
        middle, low, high = (
            factor * own[f"{name}{end}"].to_numpy() for end in ("", "_low", "_high")
        )
        axes.errorbar(
            share,
            middle,
            yerr=[middle - low, high - middle],
            fmt=f"o{_STYLES.get(part, '-')}",
            color=colour,
            markersize=4,
            elinewidth=0.6,
            label=f"{title(method)}, {part}",
        )
        random = own.dropna(subset=[f"random_{name}"])
        if len(random):
            start = own[own["part"] == "none"]
            x = np.append(100 * start["share"], 100 * random["random_share"])
            y = np.append(factor * start[name], factor * random[f"random_{name}"])
            axes.plot(x, y, ":", color=colour, marker="x", markersize=4, zorder=-number)


def _lines(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each part's rows from the clone alone to the lowest threshold."""
    alone = rows[rows["part"] == "none"]
    for part in rows.loc[rows["part"] != "none", "part"].unique():
        own = rows[rows["part"] == part].sort_values("quantile", ascending=False)
        yield str(part), pd.concat([alone, own])
