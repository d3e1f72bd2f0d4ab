"""Whether saliency is of what was learned: the maps of a network whose weights are shuffled."""

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import rankdata
from torch import nn

from evaluation.inspection.saliency.lens import Lens, Maps
from evaluation.inspection.saliency.maps import saliency_maps
from evaluation.inspection.saliency.network import PictureNetwork

FloatArray = NDArray[np.float64]
Stacks = NDArray[np.uint8]


class Randomised(NamedTuple):
    """A network with part of its weights shuffled.

    Attributes:
        layer: The last one that was, and all nearer to the action are with it.
        network: The network.
    """

    layer: str
    network: PictureNetwork


def randomised(network: PictureNetwork, seed: int = 0) -> list[Randomised]:
    """The network with ever more of its weights shuffled, from the action back to the picture.

    The weights of a tensor change places at random: their distribution stays, what they have
    learned does not.
    """
    generator = torch.Generator().manual_seed(seed)
    current = copy.deepcopy(network)
    found = []
    for name in reversed(_layers_with_weights(current)):
        for weights in current.get_submodule(name).parameters(recurse=False):
            order = torch.randperm(weights.numel(), generator=generator)
            weights.data = weights.flatten()[order].view(weights.shape)
        found.append(Randomised(name, copy.deepcopy(current)))
    return found


def rank_correlations(maps: Maps, others: Maps) -> FloatArray:
    """Spearman's correlation of each map with its other, ``(n,)``; NaN where one is constant."""
    first, second = (rankdata(part.reshape(len(part), -1), axis=1) for part in (maps, others))
    first -= first.mean(axis=1, keepdims=True)
    second -= second.mean(axis=1, keepdims=True)
    spread = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    product: FloatArray = (first * second).sum(axis=1)
    correlation: FloatArray = np.full_like(product, np.nan)
    np.divide(product, spread, out=correlation, where=spread > 0)
    return correlation


def sanity(
    network: PictureNetwork, course: Sequence[Randomised], stacks: Stacks, lens: Lens
) -> dict[str, float]:
    """Whether the maps are of what was learned (Adebayo et al. 2018): they must change without it.

    Args:
        network: As it was learned.
        course: ``randomised`` of it.
        stacks: ``(n, *observation.shape)``.
        lens: Which map.

    Returns:
        For each layer, in the order in which they are shuffled, the mean rank correlation of the
        maps before and after; NaN where all maps of either are zero.
    """
    before = saliency_maps(network, stacks, lens)
    found = {}
    for layer, other in course:
        each = rank_correlations(before, saliency_maps(other, stacks, lens))
        found[layer] = float(each[np.isfinite(each)].mean()) if np.isfinite(each).any() else np.nan
    return found


def _layers_with_weights(network: nn.Module) -> list[str]:
    return [
        name
        for name, module in network.named_modules()
        if any(True for _ in module.parameters(recurse=False))
    ]
