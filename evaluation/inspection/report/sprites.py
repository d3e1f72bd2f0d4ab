"""Pictures of a lap as a few sheets that a page can hold: WebP in data URIs."""

import base64
import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

COLUMNS, ROWS = 16, 8
"""Pictures on a sheet: few enough that the first is decoded at once, many enough to be small."""
LOSSLESS = 101
"""OpenCV's quality above which WebP loses nothing."""


def sprites(pictures: NDArray[np.uint8], limit: int, quality: int = LOSSLESS) -> dict[str, Any]:
    """Sheets of the pictures of a lap, as JSON values.

    Args:
        pictures: ``(steps, rows, columns)`` gray or ``(steps, rows, columns, 3)`` RGB.
        limit: Bytes that all sheets may take; where they would take more, every second, third, ...
            picture is kept.
        quality: Of WebP, 1 to 100, or ``LOSSLESS``.

    Returns:
        ``width`` and ``height`` of a picture, ``columns`` and ``rows`` of a sheet, ``stride`` (one
        picture for so many steps) and ``sheets`` (data URIs).
    """
    stride, size = 1, math.inf
    while size > limit and stride <= len(pictures):
        kept = pictures[::stride]
        per_sheet = COLUMNS * ROWS
        sheets = [
            _encode(_sheet(kept[i : i + per_sheet]), quality)
            for i in range(0, len(kept), per_sheet)
        ]
        size = sum(map(len, sheets))
        found = {"stride": stride, "sheets": sheets}
        stride = max(stride + 1, stride * math.ceil(size / limit))
    height, width = pictures.shape[1:3]
    return {"width": width, "height": height, "columns": COLUMNS, "rows": ROWS, **found}


def _sheet(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Pictures row by row on one, the rest of the last row black."""
    rows = math.ceil(len(pictures) / COLUMNS)
    places = np.zeros((rows * COLUMNS, *pictures.shape[1:]), dtype=np.uint8)
    places[: len(pictures)] = pictures
    height, width = pictures.shape[1:3]
    grid = places.reshape(rows, COLUMNS, height, width, -1).swapaxes(1, 2)
    return grid.reshape(rows * height, COLUMNS * width, -1)


def _encode(sheet: NDArray[np.uint8], quality: int) -> str:
    written = cv2.imencode(".webp", sheet[..., ::-1], [cv2.IMWRITE_WEBP_QUALITY, quality])[1]
    return "data:image/webp;base64," + base64.b64encode(written.tobytes()).decode()
