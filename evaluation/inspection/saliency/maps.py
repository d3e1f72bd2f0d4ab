"""Maps of saliency: class activation maps of the package ``grad-cam``, and input gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from evaluation.inspection.saliency.cells import find_layer, grid_of, of_frame, tapped
from evaluation.inspection.saliency.lens import Lens, Maps
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
        (gradient,) = torch.autograd.grad(network(stacks)[:, lens.column].sum(), stacks)
        frames = gradient.abs()
        shown = frames.amax(1) if lens.frame == "all" else frames[:, -1 - lens.frame]
        drawn: Maps = (shown if shown.ndim == 3 else shown.amax(-1)).numpy()
        return drawn

    return draw


def _activations(network: PictureNetwork, lens: Lens) -> Callable[[Tensor], Maps]:
    """Weighted sums of a layer's maps, spread over the pixels."""
    layer = find_layer(network, lens.layer)
    grid = grid_of(network, layer)
    weigh = _Weighing(network, lens)
    every = range(network.observation.frames) if lens.frame == "all" else (lens.frame,)

    def draw(stacks: Tensor) -> Maps:
        mean, outputs = tapped(network, layer, stacks)
        target = mean[:, lens.column].sum()
        gradients = torch.autograd.grad(target, outputs, allow_unused=True, materialize_grads=True)
        runs = list(zip(outputs, gradients, strict=True))  # one for each member
        frames = []
        for frame in every:
            parts = [[of_frame(part.detach(), len(stacks), frame) for part in run] for run in runs]
            frames.append(np.sum([weigh(*part) for part in parts], axis=0))
        return grid.pixels(np.max(frames, axis=0))

    return draw


class _Weighing:
    """A class of ``grad-cam`` that weighs a layer's maps, without hooks of its own.

    The gradients come from here, for ``grad-cam`` would compute those of all weights too, takes
    the least value away from every map, and takes one member of an ensemble for all.
    """

    def __init__(self, network: PictureNetwork, lens: Lens) -> None:
        from pytorch_grad_cam import EigenCAM, GradCAM, GradCAMPlusPlus  # noqa: PLC0415 - seconds

        kinds = {"gradcam": GradCAM, "gradcam++": GradCAMPlusPlus, "eigencam": EigenCAM}
        self._cam: Any = kinds[lens.kind](network, [])
        self._either = lens.sign == "either"

    def __call__(self, activations: Tensor, gradients: Tensor) -> FloatArray:
        """Maps of cells ``(n, rows, columns)``, >= 0, of ``(n, channels, rows, columns)``."""
        raw: FloatArray = self._cam.get_cam_image(
            None, None, None, activations.numpy(), gradients.numpy(), False
        )
        if not self._cam.uses_gradients:
            # A principal component has no sign of its own: its larger side counts.
            turned = (-raw).max(axis=(1, 2)) > raw.max(axis=(1, 2))
            raw = np.where(turned[:, None, None], -raw, raw)
        elif self._either:
            raw = np.abs(raw)
        return np.maximum(raw, 0.0)
