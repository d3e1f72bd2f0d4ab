"""One lap as it was driven: what every metric reads."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FPS = 50
"""Steps a second of the CarRacing world."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Lap:
    """The steps of one lap.

    Attributes:
        steps: One row a step, in order, with the columns of ``steps.parquet``; the state in a row
            is where its action led.
        half_width: Half the width of the road, world units.
    """

    steps: pd.DataFrame
    half_width: float

    def column(self, name: str) -> FloatArray:
        """A column as float64, ``(steps,)``."""
        return self.steps[name].to_numpy(dtype=np.float64)

    @cached_property
    def completed(self) -> bool:
        """Whether the lap was completed."""
        return bool(self.steps["lap_complete"].to_numpy()[-1])

    @cached_property
    def off_road(self) -> NDArray[np.bool_]:
        """Whether all four wheels were off the road, ``(steps,)``."""
        return np.equal(self.column("wheels_off_road"), 4)

    @cached_property
    def departures(self) -> NDArray[np.int64]:
        """Steps at which the car left the road with all wheels, ``(departures,)``."""
        off = self.off_road
        return np.flatnonzero(off & ~np.concatenate([[False], off[:-1]]))
