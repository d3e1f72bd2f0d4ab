"""Which policies look at which frames."""

from dataclasses import dataclass, field
from pathlib import Path

from evaluation.inspection.saliency.lens import Lens

LAYER = "conv5"
"""The last layer of 64 channels: a cell for each of the 18 columns."""


@dataclass(frozen=True)
class SaliencyConfig:
    """Which policies look at which frames.

    Attributes:
        policies: Checkpoints of ``nsac-train udacity``, or ``nsac-udacity`` (bundled).
        data: Folder of the recording that the frames are of.
        out: The picture: its ending says in which format, ``.png``, ``.svg`` or ``.pdf``.
        rows: Numbers of the recording's rows, from 0; by default four, evenly over it.
        lens: Which map; by default Grad-CAM of the steering on the last 64-channel layer. Its
            gradient is drawn below it.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.
    """

    policies: tuple[str, ...]
    data: Path
    out: Path
    rows: tuple[int, ...] = ()
    lens: Lens = field(default_factory=lambda: Lens(layer=LAYER))
    trust: bool = False
