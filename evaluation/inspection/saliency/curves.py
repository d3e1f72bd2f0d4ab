"""Whether saliency points at what matters: what the action does as salient pixels go or come."""

from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import rankdata

from evaluation.inspection.saliency.lens import Lens, Maps
from evaluation.inspection.saliency.maps import AT_ONCE, scaled
from evaluation.inspection.saliency.network import PictureNetwork

FloatArray = NDArray[np.float64]
Stacks = NDArray[np.uint8]

BLUR = 10.0
"""Standard deviation, in pixels, of the picture that a pixel is taken from when it is replaced."""


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


def _actions(network: PictureNetwork, stacks: Stacks, lens: Lens) -> FloatArray:
    parts = [stacks[first : first + AT_ONCE] for first in range(0, len(stacks), AT_ONCE)]
    with torch.no_grad():
        means = [network(scaled(part))[:, lens.column] for part in parts]
    return torch.cat(means).double().numpy()


def _blurred(stacks: Stacks) -> Stacks:
    pictures = stacks.reshape(-1, *stacks.shape[2:])
    blurred = [cv2.GaussianBlur(picture, (0, 0), BLUR) for picture in pictures]
    return np.stack(blurred).reshape(stacks.shape)
