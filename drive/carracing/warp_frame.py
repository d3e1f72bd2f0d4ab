"""SB3's WarpFrame of a 96 x 96 picture: OpenCV's RGB to gray, then INTER_AREA to 84 x 84."""

import numpy as np
from numpy.typing import NDArray

from drive.carracing.coverage import compiled

Image = NDArray[np.uint8]


@compiled
def warp_frame(image: Image, gray: Image) -> None:
    """Fill ``gray`` (84, 84) from the RGB ``image`` (96, 96, 3).

    Seven cells of the result lie on eight of the picture, so cell i holds the pixels from i + i // 7
    in sevenths: (7 - k) of the first and (k + 1) of the next, k = i % 7. All in whole numbers: the
    sum of the weights is 64.
    """
    plain = np.empty((96, 96), np.int32)
    for row in range(96):
        for column in range(96):
            r = np.int32(image[row, column, 0])
            g = np.int32(image[row, column, 1])
            b = np.int32(image[row, column, 2])
            plain[row, column] = (r * 9798 + g * 19235 + b * 3735 + 16384) >> 15
    narrow = np.empty((96, 84), np.int32)
    for row in range(96):
        for block in range(12):
            for k in range(7):
                first = plain[row, 8 * block + k]
                narrow[row, 7 * block + k] = first * (7 - k) + plain[row, 8 * block + k + 1] * (k + 1)
    for block in range(12):
        for k in range(7):
            for column in range(84):
                total = narrow[8 * block + k, column] * (7 - k)
                total += narrow[8 * block + k + 1, column] * (k + 1)
                gray[7 * block + k, column] = _rounded_half_to_even(total)


@compiled
def _rounded_half_to_even(total: int) -> int:
    whole, rest = total >> 6, total & 63
    return whole + (1 if rest > 32 or (rest == 32 and whole & 1) else 0)
