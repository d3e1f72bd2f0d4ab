"""Scores of saliency: where it lies, whether it points at what matters, whether it is learned."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import rankdata
from torch import nn

from drive.carracing.regions import Region, Regions
from evaluation.inspection.saliency.lens import Lens, Maps
from evaluation.inspection.saliency.maps import AT_ONCE, saliency_maps, scaled
from evaluation.inspection.saliency.network import PictureNetwork

FloatArray = NDArray[np.float64]
Stacks = NDArray[np.uint8]

BLUR = 10.0
"""Standard deviation, in pixels, of the picture that a pixel is taken from when it is replaced."""


def shares(maps: Maps | NDArray[np.uint8], regions: Regions) -> FloatArray:
    """Share of each map's mass in each region, ``(n, 6)``; NaN where a map is zero everywhere.

    Args:
        maps: ``(n, rows, columns)``.
        regions: Likewise, values of ``Region``.
    """
    mass = maps.astype(np.float64)
    by_region = np.stack([(mass * (regions == region)).sum(axis=(1, 2)) for region in Region], 1)
    total = by_region.sum(axis=1, keepdims=True)
    share = np.full_like(by_region, np.nan)
    np.divide(by_region, total, out=share, where=total > 0)
    return share


def areas(regions: Regions) -> FloatArray:
    """Share of each region in the picture, ``(n, 6)``: what saliency without aim would get."""
    return np.stack([(regions == region).mean(axis=(1, 2)) for region in Region], axis=1)


@dataclass(frozen=True)
class Curves:
    """How the action changes while pixels are taken away or given back, the most salient first.

    The change is ``|action - action of the whole picture|``, mean over the steps. Pixels go, or
    come, in all frames of a stack alike; in their place is a blurred picture.

    Attributes:
        taken: Share of the pixels that were taken away (or given back), ``(points,)``, 0 to 1.
        deletion: Change after they were taken away: rises soon where saliency is right.
        insertion: Change that is left after they were given back: falls soon.
    """

    taken: FloatArray
    deletion: FloatArray
    insertion: FloatArray

    @property
    def deletion_area(self) -> float:
        """Area under the curve of deletion, in units of the action: large is good."""
        return float(np.trapezoid(self.deletion, self.taken))

    @property
    def insertion_area(self) -> float:
        """Area under the curve of insertion: small is good."""
        return float(np.trapezoid(self.insertion, self.taken))


def curves(
    network: PictureNetwork, stacks: Stacks, maps: Maps, lens: Lens, points: int = 11
) -> Curves:
    """Deletion and insertion (Petsiuk et al. 2018), for an action in place of a class.

    Args:
        network: Whose action it is.
        stacks: ``(n, *observation.shape)``.
        maps: Of these stacks; or ``aimless`` ones, to compare with.
        lens: Names the action.
        points: Of the curves.
    """
    blurred = _blurred(stacks)
    ranks = rankdata(-maps.reshape(len(maps), -1), axis=1, method="ordinal") - 1
    place = (ranks / ranks.shape[1]).reshape(len(maps), 1, *maps.shape[1:])
    if stacks.ndim == 5:
        place = place[..., None]
    taken = np.linspace(0.0, 1.0, points)
    whole = _actions(network, stacks, lens)

    def change(shown: Stacks) -> float:
        return float(np.abs(_actions(network, shown, lens) - whole).mean())

    deletion = [change(np.where(place < share, blurred, stacks)) for share in taken]
    insertion = [change(np.where(place < share, stacks, blurred)) for share in taken]
    return Curves(taken, np.array(deletion), np.array(insertion))


def aimless(n: int, size: tuple[int, int], seed: int = 0) -> Maps:
    """Random maps ``(n, rows, columns)`` of 6 x 6 cells, smooth like those of activations.

    Random pixels would be no match: a picture with salt and pepper is unlike any other.
    """
    cells = np.random.default_rng(seed).random((n, 6, 6), dtype=np.float32)
    rows, columns = size
    return np.stack([cv2.resize(c, (columns, rows), interpolation=cv2.INTER_CUBIC) for c in cells])


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


def _actions(network: PictureNetwork, stacks: Stacks, lens: Lens) -> FloatArray:
    parts = [stacks[first : first + AT_ONCE] for first in range(0, len(stacks), AT_ONCE)]
    with torch.no_grad():
        means = [network(scaled(part))[:, lens.column] for part in parts]
    return torch.cat(means).double().numpy()


def _blurred(stacks: Stacks) -> Stacks:
    pictures = stacks.reshape(-1, *stacks.shape[2:])
    blurred = [cv2.GaussianBlur(picture, (0, 0), BLUR) for picture in pictures]
    return np.stack(blurred).reshape(stacks.shape)
