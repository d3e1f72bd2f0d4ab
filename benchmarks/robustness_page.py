"""Fills the tables and figures of ``docs/results/robustness.md`` from the studies that it names.

python benchmarks/robustness_page.py
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import tyro
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.colour_contrast import EDGES, with_contrast
from evaluation.comparison.intervals import clustered_wilson, matrix
from evaluation.comparison.tables import arms_of
from evaluation.statistics import Interval, bootstrap, wilson, worst_decile
from nsac_core.benchmarks.contenders import order, title
from nsac_core.benchmarks.figures import COLOURS
from nsac_core.benchmarks.page import fill_blocks
from nsac_core.benchmarks.report import save_figure
from nsac_core.benchmarks.sheets import Field, Sheet

CLONES = tuple(f"clones-{number}" for number in range(5))
"""Studies of the clones, one a model of each method; two runs of ten tracks in each."""
BUNDLED = "bundled"
"""Study of the drivers that come with the package."""
MARKERS = {"plain": "o", "dagger": "s", "colours": "^"}
PAPER = {
    "nsac": (0.80, 0.20),
    "gmle": (0.80, 0.24),
    "deep_ensemble": (0.64, 0.26),
    "mc_dropout": (0.70, 0.09),
    "evidential": (0.76, 0.22),
    "sde_net": (0.80, 0.14),
}
"""Success and its deviation over runs, read off the paper's figure; no colour was changed there."""
ATTENTION_AGENT = {
    "ext-color": 866,
    "ext-color3": 673,
    "ext-bar": 900,
    "ext-blob": 898,
    "ext-noise": -58,
}
"""Mean returns of AttentionAgent over 100 tests (Tang, Nguyen and Ha 2020)."""
FLAGS = ("success", "completed")


@dataclass(frozen=True)
class Options:
    """Where the studies are, and the page.

    Attributes:
        runs: Folder with the studies, each by its name.
        page: Markdown; the figures are written beside it.
    """

    runs: Path = Path("runs/robustness")
    page: Path = Path(__file__).parents[1] / "docs" / "results" / "robustness.md"


def clones(runs: Path) -> pd.DataFrame:
    """Laps of all clones, with ``arm``, ``method`` and ``model``; a lap is a run's track."""
    frames = []
    for model, name in enumerate(CLONES):
        laps = pd.read_parquet(runs / name / "laps.parquet")
        named = laps["policy"].str.extract(r"^(?P<arm>\w+)-(?P<method>\w+)$")
        run = laps["seed"].map({seed: n for n, seed in enumerate(sorted(set(laps["seed"])))})
        tracks = laps["lap"].max() + 1
        frames.append(laps.assign(model=model, lap=run * tracks + laps["lap"], **named))
    return pd.concat(frames, ignore_index=True)


def colour_test(laps: pd.DataFrame) -> Sheet:
    """Success of every method and arm in other colours, and of the same laps in the usual ones."""
    rows: list[list[Field]] = []
    for method in sorted(PAPER, key=order):
        row: list[Field] = [title(method), "{:.2f} ± {:.2f}".format(*PAPER[method])]
        for arm in arms_of(laps):
            own = laps[(laps["method"] == method) & (laps["arm"] == arm)]
            conditions = (own[own["perturbation"] == name] for name in ("none", "colours"))
            row += [percent(success(driven)) for driven in conditions]
        rows.append(row)
    head = ["method", "in the paper"]
    for arm in arms_of(laps):
        head += [f"{arm}, usual colours", f"{arm}, other colours"]
    words = (
        "Success (return ≥ 860) in percent: ten runs of ten tracks, two with each of a method's "
        f"five models, {laps['renderer'].iloc[0]} renderer. Wilson intervals of "
        "as many laps as these are worth (95 %)."
    )
    return Sheet("colour_test", words, head, rows)


def bundled_colours(laps: pd.DataFrame) -> Sheet:
    """The bundled drivers in the colour test."""
    rows: list[list[Field]] = []
    for policy, own in laps.groupby("policy", sort=False):
        for condition, words in (("none", "usual"), ("colours", "other")):
            driven = own[own["perturbation"] == condition]
            flags = [wilson(int(driven[flag].sum()), len(driven)) for flag in FLAGS]
            rows.append([f"`{policy}`", words, *map(percent, flags), *returns(driven["return"])])
    head = ["driver", "colours", "success", "lap completed", "mean return", "worst tenth"]
    words = (
        f"The bundled drivers on {laps['map'].nunique()} tracks, colours drawn for each lap, "
        f"{laps['renderer'].iloc[0]} renderer (95 %)."
    )
    return Sheet("bundled_colours", words, head, rows)


def extension(laps: pd.DataFrame) -> Sheet:
    """Mean returns in the tests of CarRacingExtension."""
    rows: list[list[Field]] = []
    for name, published in {"none": None, **ATTENTION_AGENT}.items():
        row: list[Field] = ["no change" if published is None else f"`{name}`"]
        row.append("-" if published is None else str(published))
        for _, own in laps.groupby("policy", sort=False):
            driven = own[own["perturbation"] == name]
            share = wilson(int(driven["completed"].sum()), len(driven))
            row += [returns(driven["return"])[0], percent(share)]
        rows.append(row)
    head = ["test", "AttentionAgent"]
    for policy in laps["policy"].unique():
        head += [f"`{policy}`", "laps completed"]
    tests = len(laps) // laps.groupby(["policy", "perturbation"]).ngroups
    renderer = laps["renderer"].iloc[0]
    words = f"Mean return of {tests} laps in each test, {renderer} renderer, with 95 % intervals."
    return Sheet("extension", words, head, rows)


def contrast(groups: dict[str, pd.DataFrame]) -> Sheet:
    """Success by the distance of road and field in a gray picture, for groups of laps."""
    found = {name: with_contrast(laps) for name, laps in groups.items()}
    rows: list[list[Field]] = []
    for low, high in pairwise(EDGES):
        row: list[Field] = [f"{low:.0f} to {high:.0f}"]
        for laps in found.values():
            own = within(laps, low, high)
            row.append(f"{percent(share_of(own))} of {len(own)}")
        rows.append(row)
    words = "Success in percent by the contrast of road and field, grey levels of 255 (95 %)."
    return Sheet("contrast", words, ["contrast drawn", *found], rows)


def figure(laps: pd.DataFrame, groups: dict[str, pd.DataFrame]) -> Figure:
    """Success by method and arm, and by contrast."""
    drawn = Figure(figsize=(12, 4.4), layout="constrained")
    left, right = drawn.subplots(1, 2)
    draw_methods(left, laps[laps["perturbation"] == "colours"])
    for (name, own), colour in zip(groups.items(), ("#999999", "#0072B2", "#D55E00"), strict=False):
        draw_contrast(right, name, with_contrast(own), colour)
    right.set_xlabel("Contrast of road and field in a gray picture (grey levels)")
    right.set_xscale("symlog", linthresh=4)
    right.minorticks_off()
    right.set_xticks([0, 4, 8, 16, 32, 64, 128], ["0", "4", "8", "16", "32", "64", "128"])
    for axes in (left, right):
        axes.set_ylim(-3, 103)
        axes.set_ylabel("Success in other colours (%)")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="0.92")
        axes.legend(frameon=False)
    return drawn


def draw_methods(axes: Axes, laps: pd.DataFrame) -> None:
    """A marker for each arm of each method, and the paper's number."""
    methods = sorted(PAPER, key=order)
    arms = arms_of(laps)
    for offset, arm in zip(np.linspace(-0.15, 0.15, len(arms)), arms, strict=True):
        for place, method in enumerate(methods):
            found = success(laps[(laps["method"] == method) & (laps["arm"] == arm)])
            draw_share(axes, place + offset, found, MARKERS[arm], COLOURS[method])
        axes.plot([], [], MARKERS[arm], color="0.3", label=arm)
    places = np.arange(len(methods))
    published = [100 * PAPER[method][0] for method in methods]
    axes.plot(places, published, "_", color="0.5", markersize=26, label="in the paper")
    axes.set_xticks(places, [title(method).replace(" ", "\n") for method in methods])


def draw_contrast(axes: Axes, name: str, laps: pd.DataFrame, colour: str) -> None:
    """Success against the middle of each range of contrast."""
    for low, high in pairwise(EDGES):
        own = within(laps, low, high)
        middle = float(own["gray_contrast"].median())
        draw_share(axes, middle, share_of(own), "o", colour)
    axes.plot([], [], "o", color=colour, label=name)


def draw_share(axes: Axes, place: float, found: Interval, marker: str, colour: str) -> None:
    """A share with its interval, in percent."""
    middle, low, high = (100 * value for value in (found.estimate, found.low, found.high))
    axes.errorbar(
        *(place, middle),
        yerr=[[middle - low], [high - middle]],
        fmt=marker,
        color=colour,
        capsize=2,
    )


def within(laps: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Laps whose contrast lies in a range that holds its lower edge."""
    return laps[laps["gray_contrast"].between(low, high, inclusive="left")]


def success(laps: pd.DataFrame) -> Interval:
    """Success of several models on the same tracks."""
    return clustered_wilson(matrix(laps, "success"))


def share_of(laps: pd.DataFrame) -> Interval:
    """Success of laps each in colours of its own."""
    return wilson(int(laps["success"].sum()), len(laps))


def returns(values: pd.Series) -> list[str]:
    """Mean and worst tenth of the returns, with their intervals."""
    rng = np.random.default_rng(0)
    found = [bootstrap(values, rng, statistic) for statistic in (np.mean, worst_decile)]
    return [f"{one.estimate:.1f} [{one.low:.1f}, {one.high:.1f}]" for one in found]


def percent(found: Interval) -> str:
    """A share with its interval, in percent."""
    if math.isnan(found.estimate):
        return "-"
    return f"{100 * found.estimate:.0f} [{100 * found.low:.0f}, {100 * found.high:.0f}]"


def groups_of(laps: pd.DataFrame, bundled: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Laps in other colours, by what their drivers were trained on."""
    recoloured = "perturbation == 'colours' and "
    return {
        "gray, as recorded": laps.query(recoloured + "arm != 'colours'"),
        "gray, recoloured": laps.query(recoloured + "arm == 'colours'"),
        "RGB, recoloured": bundled.query(recoloured + "policy == 'nsac-robust'"),
    }


def main() -> None:
    """Fill the page."""
    options = tyro.cli(Options, description=__doc__)
    laps = clones(options.runs)
    bundled = pd.read_parquet(options.runs / BUNDLED / "laps.parquet")
    groups = groups_of(laps, bundled)
    sheets = [colour_test(laps), bundled_colours(bundled), extension(bundled), contrast(groups)]
    blocks = {sheet.name: f"{sheet.caption}\n\n{sheet.markdown()}" for sheet in sheets}
    fill_blocks(options.page, blocks)
    save_figure(figure(laps, groups), options.page.with_suffix(""))
    options.page.with_suffix(".png").unlink()
    print(f"{options.page}: filled")


if __name__ == "__main__":
    main()
