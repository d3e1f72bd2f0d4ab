"""The cells of a layer's maps: where they look, and how a map of them becomes one of pixels."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from evaluation.errors import EvaluationError
from evaluation.inspection.saliency.lens import Maps
from evaluation.inspection.saliency.network import PictureNetwork
from maps.files.one_line_error import did_you_mean

FloatArray = NDArray[np.float64]
LEAST_CELLS = 4
"""Along a side of a map that is worth looking at."""
_NOTICED = 0.02
"""Share of the largest gradient above which a pixel counts as seen by a cell."""


class Tapped(NamedTuple):
    """One evaluation of a network, and what a layer gave in it.

    Attributes:
        mean: Of the actions, ``(n, 3)``.
        outputs: The layer's maps ``(n * frames | n, channels, rows, columns)``, one for each time
            that it ran: the members of an ensemble share a layer.
    """

    mean: Tensor
    outputs: list[Tensor]


def tapped(network: PictureNetwork, layer: str, stacks: Tensor) -> Tapped:
    """Evaluates a network and keeps the outputs of one of its layers."""
    outputs: list[Tensor] = []
    module = network.get_submodule(layer)
    hook = module.register_forward_hook(lambda _module, _inputs, output: outputs.append(output))
    try:
        return Tapped(network(stacks), outputs)
    finally:
        hook.remove()


def of_frame(output: Tensor, n: int, frame: int) -> Tensor:
    """The maps of one frame of each of ``n`` stacks; those of the stack if it is one picture."""
    return output if len(output) == n else output.view(n, -1, *output.shape[1:])[:, -1 - frame]


def find_layer(network: PictureNetwork, name: str) -> str:
    """The whole name of a layer, or of the last one whose maps have at least 4 x 4 cells.

    Raises:
        EvaluationError: There is no such layer, it ran in no pass, or it gives no maps.
    """
    maps = _layers_with_maps(network)
    if not name:
        large = [n for n, shape in maps.items() if min(shape[-2:]) >= LEAST_CELLS]
        if not large:
            raise EvaluationError(
                f"{network.name}: no layer gives maps of {LEAST_CELLS} x {LEAST_CELLS} cells or "
                "more; look through the lens `gradient`"
            )
        return large[-1]
    found = [n for n in maps if n == name or n.endswith(f".{name}")]
    if len(found) != 1:
        short = [n.rpartition(".")[2] for n in maps]
        which = f"{len(found)} layers {name!r}" if found else f"no layer {name!r} with maps"
        guess = "" if found else did_you_mean(name, short)
        raise EvaluationError(
            f"{network.name}: there are {which}, {guess}expected one of {', '.join(short)}"
        )
    return found[0]


def _layers_with_maps(network: PictureNetwork) -> dict[str, torch.Size]:
    """Modules that give pictures of features, in the order in which they run."""
    shapes: dict[str, torch.Size] = {}

    def note(name: str, output: object) -> None:
        if isinstance(output, Tensor) and output.ndim == 4:
            shapes[name] = output.shape

    hooks = [
        module.register_forward_hook(lambda _m, _i, output, name=name: note(name, output))
        for name, module in network.named_modules()
        if not any(True for _ in module.children())
    ]
    try:
        with torch.no_grad():
            network(torch.zeros(1, *network.observation.shape))
    finally:
        for hook in hooks:
            hook.remove()
    return shapes


@dataclass(frozen=True)
class Grid:
    """Where the cells of a layer lie in the picture.

    Attributes:
        rows: Which share of each row of cells a row of pixels shows, ``(pixels, cells)``.
        columns: The same of the columns.
    """

    rows: FloatArray
    columns: FloatArray

    def pixels(self, cells: FloatArray) -> Maps:
        """Maps of pixels, of maps of cells ``(n, rows, columns)``: linear between their centres."""
        spread = np.einsum("rc,ncd,sd->nrs", self.rows, cells, self.columns)
        return np.asarray(spread, dtype=np.float32)


def grid_of(network: PictureNetwork, layer: str) -> Grid:
    """The grid of a layer, from what its cells respond to.

    A convolution without padding never looks from a cell's place in an even division of the
    picture: which pixels a cell sees is measured by its gradient, for the cells on the diagonal,
    and a line laid through the middles. What no cell sees gets no share.
    """
    if layer not in network.grids:
        network.grids[layer] = _measured(network, layer)
    grid: Grid = network.grids[layer]
    return grid


def _measured(network: PictureNetwork, layer: str) -> Grid:
    noise = torch.rand(8, *network.observation.shape, generator=torch.Generator().manual_seed(0))
    stacks = noise.requires_grad_()
    output = of_frame(tapped(network, layer, stacks).outputs[0], len(noise), 0)
    cells = output.shape[-2:]
    seen = np.full((2, max(cells), 2), np.nan)
    for k in range(max(cells)):
        cell = output[..., min(k, cells[0] - 1), min(k, cells[1] - 1)].sum()
        (gradient,) = torch.autograd.grad(cell, stacks, retain_graph=True)
        seen[:, k] = _extent(gradient.abs().amax(0).amax(0))
    sizes = network.observation.shape[1:3]
    rows, columns = (_shares(*part) for part in zip(seen, cells, sizes, strict=True))
    return Grid(rows, columns)


def _extent(gradient: Tensor) -> FloatArray:
    """First and last row, and column, of the pixels ``(rows, columns[, channels])`` seen."""
    seen = (gradient if gradient.ndim == 2 else gradient.amax(-1)).numpy()
    if not seen.any():
        return np.full((2, 2), np.nan)
    noticed = np.nonzero(seen > _NOTICED * seen.max())
    return np.array([(part.min(), part.max()) for part in noticed], dtype=np.float64)


def _shares(seen: FloatArray, cells: int, pixels: int) -> FloatArray:
    """Shares ``(pixels, cells)``, of the first and last pixel that each cell sees, or NaN."""
    number, place = np.arange(cells), np.arange(pixels)
    middles, known = seen[:cells].mean(axis=1), np.isfinite(seen[:cells, 0])
    if cells == 1 and known.all():
        centres, reach = middles, float(seen[0, 1] - seen[0, 0]) / 2
    elif known.sum() < 2:
        centres = (number + 0.5) * pixels / cells - 0.5
        reach = pixels / cells
    else:
        slope, start = np.polyfit(number[known], middles[known], 1)
        centres = start + slope * number
        reach = float((seen[:cells, 1] - seen[:cells, 0])[known].max() / 2)
    shares = np.column_stack([np.interp(place, centres, unit) for unit in np.eye(cells)])
    shares[(place < centres[0] - reach - 0.5) | (place > centres[-1] + reach + 0.5)] = 0.0
    return shares
