"""Figure 8 D: where several policies look, at one and the same picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from drive.carracing.regions import Region, Regions
from evaluation.inspection.saliency.lens import Lens
from evaluation.inspection.saliency.maps import saliency_maps, scaled
from evaluation.inspection.saliency.network import PictureNetwork
from evaluation.inspection.saliency.overlay import as_bytes, in_colour, overlaid
from evaluation.inspection.saliency.scores import areas, shares

PANEL, LINE, TABLE = 2.2, 0.2, 7.5
"""Inches: of a picture with its title, of a line of the table, and across it."""

BRIGHTEST = 0.995
"""Share of the pixels that are not as bright as can be: single ones stand out in a gradient."""

REGION_COLOURS = ("#a6d96a", "#bdbdbd", "#0072B2", "#D55E00", "#404040", "#ffffff")
"""Of each region, in their order."""


@dataclass(frozen=True)
class Sight:
    """A policy, and a picture that it looks at.

    Attributes:
        label: What the figure calls the policy.
        network: Its network.
        stack: What it sees, ``observation.shape``.
        regions: Of the newest frame, ``(rows, columns)``.
    """

    label: str
    network: PictureNetwork
    stack: NDArray[np.uint8]
    regions: Regions


def figure_8d(sights: Sequence[Sight], lens: Lens, title: str) -> Figure:
    """The picture and its regions, the maps of each policy through the lens and by gradients.

    Under them, the share of the saliency on each region, in per cent.

    Args:
        sights: One a policy; the picture shown is the first one's.
        lens: Of the upper row; the lower one is ``gradient``.
        title: Of the figure.
    """
    kinds = list(dict.fromkeys([lens.kind, "gradient"]))
    columns, lines = len(sights) + 1, 2 + len(kinds) * len(sights)
    heights = [*[PANEL] * len(kinds), LINE * lines]
    size = (max(0.95 * PANEL * columns, TABLE), sum(heights) + 0.7)
    figure = Figure(figsize=size, layout="constrained")
    figure.suptitle(title, fontsize=11)
    grid = figure.add_gridspec(len(kinds) + 1, columns, height_ratios=heights)
    first = sights[0]
    _panel(figure.add_subplot(grid[0, 0]), in_colour(first.stack[-1]), "picture")
    if len(kinds) > 1:
        _regions(figure.add_subplot(grid[1, 0]), first.regions)
    rows = [["area in the picture", *_percent(areas(first.regions[None])[0])]]
    for place, sight in enumerate(sights, start=1):
        for line, kind in enumerate(kinds):
            own = saliency_maps(sight.network, sight.stack[None], replace(lens, kind=kind))
            axes = figure.add_subplot(grid[line, place])
            words = f"{sight.label}\n{_action(sight, lens)}\n{kind}" if line == 0 else kind
            _panel(axes, overlaid(sight.stack[-1], as_bytes(own[0], BRIGHTEST)), words)
            part = shares(own, sight.regions[None])[0]
            rows.append([f"{sight.label}: {kind}", *_percent(part)])
    _table(figure.add_subplot(grid[-1, :]), rows)
    return figure


def _panel(axes: Any, picture: NDArray[np.uint8], title: str) -> None:  # noqa: ANN401
    axes.imshow(picture, interpolation="nearest")
    axes.set_title(title, fontsize=8, loc="left")
    axes.set_xticks([])
    axes.set_yticks([])


def _regions(axes: Any, regions: Regions) -> None:  # noqa: ANN401
    colours = ListedColormap(REGION_COLOURS)
    axes.imshow(regions, cmap=colours, vmin=-0.5, vmax=5.5, interpolation="nearest")
    axes.set_title("regions", fontsize=8, loc="left")
    axes.set_xticks([])
    axes.set_yticks([])
    shown = [region for region in Region if (regions == region).any()]
    handles = [Patch(color=REGION_COLOURS[region], label=region.label) for region in shown]
    axes.legend(
        handles=handles, fontsize=6, ncols=2, frameon=False, loc="upper center",
        bbox_to_anchor=(0.5, 0.0), handlelength=1.0, columnspacing=0.8,
    )  # fmt: skip


def _action(sight: Sight, lens: Lens) -> str:
    mean = sight.network(scaled(sight.stack[None]))[0, lens.column]
    return f"{lens.action} {float(mean):+.2f}"


def _table(axes: Any, rows: list[list[str]]) -> None:  # noqa: ANN401
    axes.axis("off")
    head = ["share of the saliency (%)", *(region.label for region in Region)]
    table = axes.table(rows, colLabels=head, loc="center", cellLoc="right", edges="horizontal")
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    table.auto_set_column_width(list(range(len(head))))
    for (_, column), cell in table.get_celld().items():
        if column == 0:
            cell.set_text_props(ha="left")


def _percent(part: "np.ndarray[Any, Any]") -> list[str]:
    return [f"{100 * share:.1f}" if np.isfinite(share) else "-" for share in part]
