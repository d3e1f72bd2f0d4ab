"""What a camera frame goes through before the network: crop, size, colours, range.

The one place where this happens: training, driving and saliency all call it, so that none can
differ from the others. It is written in torch, so that a gradient reaches the pixels.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import interpolate

from drive.udacity.frame_shape import HEIGHT, WIDTH
from policies.udacity.view import FIRST_ROW, LAST_ROW

VIEW_SHAPE = (LAST_ROW - FIRST_ROW, WIDTH, 3)
INPUT_SHAPE = (66, 200, 3)
"""What the network reads: rows, columns, and the channels Y, U and V."""

PREPROCESSING: dict[str, Any] = {
    "rows": [FIRST_ROW, LAST_ROW],
    "size": [INPUT_SHAPE[1], INPUT_SHAPE[0]],
    "interpolation": "bilinear",
    "colours": "YUV",
    "range": [-1.0, 1.0],
}
"""The same as JSON values, which a checkpoint stores."""

_LUMA = (0.299, 0.587, 0.114)
_BLUE, _RED = 0.492, 0.877


def preprocess(frames: Tensor) -> Tensor:
    """Frames as the network reads them.

    Args:
        frames: RGB ``(..., 160, 320, 3)``, or their visible rows ``(..., 75, 320, 3)``; uint8, or
            floating point in [0, 1].

    Returns:
        YUV float32 ``(..., 66, 200, 3)`` in [-1, 1].

    Raises:
        ValueError: If they have another shape.
    """
    if frames.shape[-3:] == (HEIGHT, WIDTH, 3):
        frames = frames[..., FIRST_ROW:LAST_ROW, :, :]
    if frames.shape[-3:] != VIEW_SHAPE:
        raise ValueError(
            f"frames are (..., {HEIGHT}, {WIDTH}, 3), or {VIEW_SHAPE} of it, got "
            f"{tuple(frames.shape)}"
        )
    unit = 255.0 if frames.dtype == torch.uint8 else 1.0
    pictures = (frames.float() / unit).reshape(-1, *VIEW_SHAPE).movedim(-1, 1)
    small = interpolate(pictures, INPUT_SHAPE[:2], mode="bilinear", align_corners=False)
    yuv = _luma_and_chroma(small.movedim(1, -1))
    return (2 * yuv - 1).view(*frames.shape[:-3], *INPUT_SHAPE)


def _luma_and_chroma(rgb: Tensor) -> Tensor:
    """OpenCV's YUV of RGB in [0, 1], with U and V about 128 / 255."""
    red, _, blue = rgb.unbind(-1)
    luma = rgb @ rgb.new_tensor(_LUMA)
    middle = 128 / 255
    return torch.stack([luma, _BLUE * (blue - luma) + middle, _RED * (red - luma) + middle], -1)
