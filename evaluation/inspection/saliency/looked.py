"""Where the driver of a seen lap looked at every step, in one file beside its frames."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from drive.carracing.regions import Regions
from evaluation.errors import EvaluationError
from evaluation.inspection.saliency.lens import Lens, Maps
from evaluation.inspection.saliency.maps import AT_ONCE, saliency_maps
from evaluation.inspection.saliency.network import PictureNetwork
from evaluation.inspection.saliency.region_recorder import RegionRecorder
from evaluation.inspection.seen_laps import SeenLap
from maps.files import arrays_file, json_file
from maps.files.damaged import DamagedError
from maps.files.plain_values import made
from maps.files.whole import whole

FILE = "saliency.npz"


@dataclass(frozen=True)
class Looked:
    """Saliency of a lap, in bytes.

    The file holds ``saliency``, ``scale``, and the lens as JSON text, ``lens``.

    Attributes:
        saliency: uint8 ``(steps, rows, columns)``: 255 is each step's own maximum.
        scale: These maxima, float32 ``(steps,)``; 0 where the map is zero everywhere.
        lens: Through which one looked.
    """

    saliency: NDArray[np.uint8]
    scale: NDArray[np.float32]
    lens: Lens

    @classmethod
    def of(cls, maps: Maps, lens: Lens) -> Self:
        """Scales maps to bytes, a step at a time."""
        scale = maps.max(axis=(1, 2))
        unit = maps / np.where(scale > 0, scale, 1.0)[:, None, None]
        return cls((255 * unit).round().astype(np.uint8), scale.astype(np.float32), lens)

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """That of a seen lap; None where there is none."""
        file = folder / FILE
        if not file.is_file():
            return None
        arrays = arrays_file.read(file, ("saliency", "scale", "lens"))
        try:
            lens = made(Lens, json_file.parse(str(arrays["lens"])))
        except ValueError as fault:
            raise DamagedError(f"{file}: damaged: {fault}; remove it") from None
        return cls(arrays["saliency"].astype(np.uint8), arrays["scale"].astype(np.float32), lens)

    def write(self, folder: Path) -> None:
        """Writes aside and renames, so that the file is always whole."""
        lens = np.array(json.dumps(asdict(self.lens)))
        with whole(folder / FILE) as aside, aside.open("wb") as file:
            np.savez_compressed(file, saliency=self.saliency, scale=self.scale, lens=lens)


def look(lap: SeenLap, network: PictureNetwork, lens: Lens) -> Looked:
    """The saliency of a lap, computed unless its file holds that of this very lens.

    Raises:
        EvaluationError: The driver was shown no picture, or there is no such layer or frame.
    """
    before = Looked.read(lap.folder)
    if before is not None and before.lens == lens:
        return before
    frames = pictures(lap)
    depth = network.observation.frames
    parts = np.array_split(np.arange(len(frames)), -(-len(frames) // (8 * AT_ONCE)))
    maps = [saliency_maps(network, stacks(frames, depth, part), lens) for part in parts]
    looked = Looked.of(np.concatenate(maps), lens)
    looked.write(lap.folder)
    return looked


def pictures(lap: SeenLap) -> NDArray[np.uint8]:
    """The frames of a lap.

    Raises:
        EvaluationError: There are none.
    """
    if lap.frames is None:
        raise EvaluationError(f"{lap.policy}: is shown no picture, so that it has no saliency")
    return lap.frames


def seen_regions(lap: SeenLap) -> Regions:
    """What each pixel of the frames shows, ``(steps, rows, columns)``.

    Raises:
        EvaluationError: It was not recorded.
    """
    file = lap.folder / RegionRecorder.file
    if not file.is_file():
        raise EvaluationError(f"{file}: is missing; nsac-inspect saliency records it")
    return arrays_file.read(file, ("regions",))["regions"].astype(np.uint8)


def stacks(
    frames: NDArray[np.uint8], depth: int, steps: Sequence[int] | NDArray[np.integer]
) -> NDArray[np.uint8]:
    """What the policy saw at some steps: ``depth`` frames, newest last, zeros before the first.

    Args:
        frames: The newest of every step, ``(steps, *frame shape)``.
        depth: Frames of a stack.
        steps: Which ones, ``(n,)``.

    Returns:
        ``(n, depth, *frame shape)`` uint8.
    """
    padded = np.concatenate([np.zeros((depth - 1, *frames.shape[1:]), np.uint8), frames])
    return padded[np.asarray(steps)[:, None] + np.arange(depth)]
