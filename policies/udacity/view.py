"""Which part of a camera frame is seen."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from drive.udacity.frame_shape import HEIGHT, Frame

FIRST_ROW, LAST_ROW = 60, HEIGHT - 25
"""Rows of the frame that are seen: sky above and bonnet below are not."""


View = NDArray[np.uint8]
"""The visible rows of a frame, RGB ``(75, 320, 3)``."""


Cameras = tuple[Callable[[], Frame] | None, ...]
"""Loads the frame of the centre, the left and the right camera; None where there is none."""
