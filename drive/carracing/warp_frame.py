"""SB3's WarpFrame of a 96 x 96 picture: OpenCV's RGB to gray, then INTER_AREA to 84 x 84."""

import numpy as np
from numpy.typing import NDArray

from drive.carracing.coverage import compiled

Image = NDArray[np.uint8]


@compiled
def warp_frame(planes: Image, gray: Image) -> None:
    """Fill ``gray`` (84, 84) from the red, green and blue ``planes`` (3, 96, 96).

    Seven cells of the result lie on eight of the picture, so cell i holds (7 - k) eighths of pixel
    i + i // 7 and (k + 1) of the next, k = i % 7: whole numbers throughout.
    """
    plain = np.empty((2, 96), np.int32)
    low = np.empty(96, np.int32)
    for row in range(84):
        k = row % 7
        for line in range(2):
            if line == 0 and k > 0:
                plain[0] = plain[1]
            else:
                _gray_row(planes, row + row // 7 + line, plain[line])
        for column in range(96):
            low[column] = plain[0, column] * (7 - k) + plain[1, column] * (k + 1)
        for block in range(12):
            for j in range(7):
                total = low[8 * block + j] * (7 - j) + low[8 * block + j + 1] * (j + 1)
                # OpenCV rounds halves to even
                gray[row, 7 * block + j] = (total + 31 + (total >> 6 & 1)) >> 6


@compiled
def _gray_row(planes: Image, row: int, plain: NDArray[np.int32]) -> None:
    for column in range(96):
        red, green = np.int32(planes[0, row, column]), np.int32(planes[1, row, column])
        blue = np.int32(planes[2, row, column])
        weighted = red * np.int32(9798) + green * np.int32(19235) + blue * np.int32(3735)
        plain[column] = (weighted + np.int32(16384)) >> np.int32(15)
