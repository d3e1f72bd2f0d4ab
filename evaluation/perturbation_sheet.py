"""What each perturbation looks like: a sheet of example frames, and of paths where none shows."""

import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

import maps
import policies
from drive.observation import ObservationSpec
from evaluation.errors import EvaluationError
from evaluation.figures import BLUE, GREY
from evaluation.lane import Lane
from evaluation.perturbation_sheet_config import SheetConfig
from evaluation.perturbations import CLEAN, PERTURBATIONS, SEVERITIES, Perturbed
from maps.files.one_line_error import did_you_mean
from maps.files.whole import whole, writable

WIDTH, HEIGHT = 1.1, 1.3
"""Inches of one picture, with its title."""
DOTS = 96
"""An inch."""


def save_sheet(config: SheetConfig) -> Path:
    """Draws the sheet.

    Returns:
        The file.

    Raises:
        EvaluationError: There is no such perturbation, or a number is out of its range.
        MapError: There is no such map.
    """
    config.check()
    file = config.out / "perturbations.png"
    drawn = io.BytesIO()
    with writable(file):
        sheet(config).savefig(drawn, dpi=DOTS)
        picture = Image.open(drawn).convert("RGB").quantize(256, kmeans=3)
        with whole(file) as aside:
            picture.save(aside, "png", optimize=True)
    return file


def sheet(config: SheetConfig) -> Figure:
    """A row for each perturbation: the clean lap, then severities 1 to 5.

    Where there are no grades the row shows five draws. Sensing and scenery are shown by the frame
    of one step, the controls and the car by the lateral error of the privileged driver.

    Raises:
        EvaluationError: There is no such perturbation.
        MapError: There is no such map.
    """
    unknown = [name for name in config.names if name not in PERTURBATIONS]
    if unknown:
        guess, known = did_you_mean(unknown[0], PERTURBATIONS), ", ".join(PERTURBATIONS)
        raise EvaluationError(
            f"there is no perturbation {unknown[0]!r}, {guess}expected some of {known}"
        )
    names = config.names or tuple(PERTURBATIONS)
    columns = len(SEVERITIES) + 1
    rows = math.ceil(len(names) / 2)
    figure = Figure(figsize=(2 * WIDTH * columns, HEIGHT * rows), layout="constrained")
    grid = figure.subplots(rows, 2 * columns, squeeze=False)
    for axes in grid.flat:
        axes.axis("off")
    clean = _Lap.driven(config, CLEAN, config.seed)
    for place, name in enumerate(names):
        first = place // rows * columns
        axes = grid[place % rows, first : first + columns]
        _title(axes[0], name)
        _draw(axes[0], clean, clean, name)
        for panel, severity in zip(axes[1:], SEVERITIES, strict=True):
            _panel(panel, config, clean, name, severity)
    return figure


@dataclass(frozen=True)
class _Lap:
    """The beginning of a lap of the privileged driver: the frame, and the way to it and beyond."""

    frame: NDArray[np.uint8]
    steps: pd.DataFrame

    @classmethod
    def driven(cls, config: SheetConfig, perturbed: Perturbed, seed: int) -> "_Lap":
        shown = not _moves(perturbed.name)
        length = config.step if shown and perturbed != CLEAN else config.path_steps
        spec = ObservationSpec("rgb96" if shown else "world", 1)
        lane = Lane(maps.load(config.map), spec, config.renderer, seed, length, perturbed)
        driver = policies.load("privileged")
        driver.reset(1, seed)
        frame = lane.frame
        for step in range(length):
            if lane.finished:
                break
            lane.step(driver.act([lane.world]), 0, 0.0)
            frame = lane.frame if step < config.step else frame
        steps = lane.steps({})
        lane.close()
        return cls(frame, steps)


def _panel(axes: Any, config: SheetConfig, clean: _Lap, name: str, severity: int) -> None:  # noqa: ANN401
    """One perturbed lap; where there are no grades its seed stands in for the severity."""
    levels = PERTURBATIONS[name].levels
    graded = bool(levels)
    perturbed = Perturbed(name, severity if graded else 3)
    lap = _Lap.driven(config, perturbed, config.seed if graded else config.seed + severity)
    _title(axes, f"{severity}: {levels[severity - 1]:.3g}" if graded else f"draw {severity}")
    _draw(axes, lap, clean, name)


def _draw(axes: Any, lap: _Lap, clean: _Lap, name: str) -> None:  # noqa: ANN401
    if not _moves(name):
        axes.imshow(lap.frame, interpolation="nearest")
        return
    half = float(clean.steps["half_width"].iloc[0])
    axes.axhspan(-half, half, color="#e4e4e4", linewidth=0)
    for steps, colour in ((clean.steps, GREY), (lap.steps, BLUE)):
        axes.plot(steps["time"], steps["lateral_error"], color=colour, linewidth=1.2)
    axes.set(ylim=(-1.6 * half, 1.6 * half), box_aspect=1)


def _title(axes: Any, text: str) -> None:  # noqa: ANN401
    axes.set_title(text, fontsize=8, loc="left", pad=2)


def _moves(name: str) -> bool:
    """Whether it changes how the car moves, rather than what is seen."""
    return name != CLEAN.name and PERTURBATIONS[name].group in ("actuation", "dynamics")
