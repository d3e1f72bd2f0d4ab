"""What a picture of the Udacity simulator is, for whoever need not decode one."""

import numpy as np
from numpy.typing import NDArray

HEIGHT, WIDTH = 160, 320
FRAME_SHAPE = (HEIGHT, WIDTH, 3)

Frame = NDArray[np.uint8]
"""RGB, ``(160, 320, 3)``."""
