"""Where policies of the Udacity simulator look, laid over frames of a recording."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import policies
from drive.observation import ObservationSpec
from drive.udacity.frame_shape import Frame
from drive.udacity.frames import decode
from drive.udacity.recordings import Row, read
from evaluation.errors import EvaluationError
from evaluation.inspection.saliency.lens import Lens
from evaluation.inspection.saliency.maps import saliency_maps, scaled
from evaluation.inspection.saliency.network import PictureNetwork, network_of
from evaluation.inspection.saliency.overlay import as_bytes, overlaid
from evaluation.udacity.saliency_config import SaliencyConfig
from maps.files.picture_file import find_fault, save_picture
from maps.files.whole import writable

_INCHES = 3.2
_BRIGHTEST = 0.995


def draw_saliency(config: SaliencyConfig) -> Path:
    """Draws and saves the picture.

    Raises:
        EvaluationError: There is no such row, no policy, or no such kind of picture.
        PolicyError: A policy cannot be loaded, or does not see the camera.
        drive.udacity.driving_log.DrivingLogError: The recording cannot be read.
        drive.udacity.frames.FrameError: A frame is damaged.
    """
    if not config.policies:
        raise EvaluationError("no policy is given")
    fault = find_fault(config.out)
    if fault:
        raise EvaluationError(fault)
    with writable(config.out):
        save_picture(_drawn(config), config.out)
    return config.out


def _drawn(config: SaliencyConfig) -> Figure:
    camera = ObservationSpec("camera", 1)
    networks = [network_of(policies.load(name, camera, config.trust)) for name in config.policies]
    chosen = _chosen(read(config.data).rows, config.rows)
    shown = [decode(row.centre.read_bytes()) for row in chosen]
    return saliency_figure(networks, shown, [row.steering for row in chosen], config.lens)


def saliency_figure(
    networks: Sequence[PictureNetwork],
    shown: Sequence[Frame],
    steering: Sequence[float],
    lens: Lens,
) -> Figure:
    """Frames in columns; under each the map of every network, and its gradient.

    Args:
        networks: Of the policies.
        shown: The frames, RGB uint8 ``(160, 320, 3)``.
        steering: What was recorded with each.
        lens: Which map.
    """
    lenses = [lens] if lens.kind == "gradient" else [lens, Lens("gradient")]
    lines = 1 + len(lenses) * len(networks)
    size = (_INCHES * len(shown), (_INCHES / 2 + 0.25) * lines)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(lines, len(shown), squeeze=False)
    for axes, frame, angle in zip(panels[0], shown, steering, strict=True):
        _panel(axes, frame, f"recorded steering {angle:+.2f}")
    stacks = np.stack(shown)[:, None]
    line = 1
    for network in networks:
        means = network(scaled(stacks)).detach()[:, 0].tolist()
        for look in lenses:
            maps = saliency_maps(network, stacks, look)
            for axes, frame, drawn, mean in zip(panels[line], shown, maps, means, strict=True):
                picture = overlaid(frame, as_bytes(drawn, _BRIGHTEST))
                layer = f" on {look.layer}" if look.kind != "gradient" else ""
                _panel(axes, picture, f"{network.name}: {look.kind}{layer}, steers {mean:+.2f}")
            line += 1
    return figure


def _panel(axes: Any, picture: Frame, title: str) -> None:  # noqa: ANN401
    axes.imshow(picture)
    axes.set_title(title, fontsize=8, loc="left")
    axes.set_xticks([])
    axes.set_yticks([])


def _chosen(rows: Sequence[Row], numbers: Sequence[int]) -> list[Row]:
    if not rows:
        raise EvaluationError("the recording has no row that can be used")
    for number in numbers:
        if not 0 <= number < len(rows):
            raise EvaluationError(f"there is no row {number}, expected 0 to {len(rows) - 1}")
    spread = [int(place * len(rows)) for place in (0.125, 0.375, 0.625, 0.875)]
    return [rows[number] for number in (numbers or spread)]
