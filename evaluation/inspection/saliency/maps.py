"""Maps of saliency: class activation maps of the package ``grad-cam``, and input gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from evaluation.inspection.saliency.cells import find_layer, grid_of, of_frame, tapped
from evaluation.inspection.saliency.lens import Lens, MapKind, Maps
from evaluation.inspection.saliency.network import PictureNetwork

AT_ONCE = 32
"""Stacks in one pass."""

FloatArray = NDArray[np.float64]


def saliency_maps(network: PictureNetwork, stacks: NDArray[np.uint8], lens: Lens) -> Maps:
    """Where a network looks.

    Args:
        network: Of the policy.
        stacks: ``(n, *observation.shape)``, as the policy sees them.
        lens: Which map.

    Returns:
        ``(n, rows, columns)``, >= 0. Of ``gradient``: change of the action by that of a pixel from
        black to white, were it linear. The others have no unit.

    Raises:
        EvaluationError: There is no such layer or frame.
    """
    lens.check_frame(network.observation.frames)
    draw = _gradients(network, lens) if lens.kind == "gradient" else _activations(network, lens)
    parts = [stacks[first : first + AT_ONCE] for first in range(0, len(stacks), AT_ONCE)]
    return np.concatenate([draw(scaled(part).requires_grad_()) for part in parts])


def scaled(stacks: NDArray[np.uint8]) -> Tensor:
    """Bytes as float32 in [0, 1]."""
    return torch.from_numpy(np.ascontiguousarray(stacks)).float() / 255


def _gradients(network: PictureNetwork, lens: Lens) -> Callable[[Tensor], Maps]:
    """Magnitude of the gradient with regard to each pixel, the largest of its channels."""

    def draw(stacks: Tensor) -> Maps:
        (gradient,) = torch.autograd.grad(_target(network(stacks), lens), stacks)
        frames = gradient.abs()
        shown = frames.amax(1) if lens.frame == "all" else frames[:, -1 - lens.frame]
        drawn: Maps = (shown if shown.ndim == 3 else shown.amax(-1)).numpy()
        return drawn

    return draw


def _activations(network: PictureNetwork, lens: Lens) -> Callable[[Tensor], Maps]:
    """Weighted sums of a layer's maps where they are positive, spread over the pixels."""
    layer = find_layer(network, lens.layer)
    grid = grid_of(network, layer)
    cam = weighing(lens.kind, network)
    every = range(network.observation.frames) if lens.frame == "all" else (lens.frame,)

    def draw(stacks: Tensor) -> Maps:
        mean, outputs = tapped(network, layer, stacks)
        gradients = torch.autograd.grad(
            _target(mean, lens), outputs, allow_unused=True, materialize_grads=True
        )
        frames = [
            np.mean(
                [_cells(cam, *pair, len(stacks), frame) for pair in _pairs(outputs, gradients)], 0
            )
            for frame in every
        ]
        return grid.pixels(np.max(frames, axis=0))

    return draw


def _pairs(outputs: list[Tensor], gradients: tuple[Tensor, ...]) -> list[tuple[Tensor, Tensor]]:
    return list(zip(outputs, gradients, strict=True))


def _cells(cam: Any, output: Tensor, gradient: Tensor, n: int, frame: int) -> FloatArray:  # noqa: ANN401 - grad-cam is untyped
    """The map of cells ``(n, rows, columns)`` of one frame of each stack."""
    activations, slopes = (of_frame(part.detach(), n, frame).numpy() for part in (output, gradient))
    raw = cam.get_cam_image(None, None, None, activations, slopes, False)
    if not cam.uses_gradients:
        # A principal component has no sign of its own: its larger side counts.
        turned = (-raw).max(axis=(1, 2)) > raw.max(axis=(1, 2))
        raw = np.where(turned[:, None, None], -raw, raw)
    return np.maximum(raw, 0.0)


def weighing(kind: MapKind, network: PictureNetwork) -> Any:  # noqa: ANN401 - grad-cam is untyped
    """The class of ``grad-cam`` that weighs a layer's maps, without hooks of its own.

    The gradients come from here, for ``grad-cam`` would also train, cut off the least of every map
    and take one member of an ensemble for all.
    """
    from pytorch_grad_cam import EigenCAM, GradCAM, GradCAMPlusPlus  # noqa: PLC0415 - seconds

    kinds = {"gradcam": GradCAM, "gradcam++": GradCAMPlusPlus, "eigencam": EigenCAM}
    return kinds[kind](network, [])


def _target(mean: Tensor, lens: Lens) -> Tensor:
    chosen = mean[:, lens.column]
    return (chosen.abs() if lens.target == "magnitude" else chosen).sum()
