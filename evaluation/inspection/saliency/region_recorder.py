"""Records what each pixel of each picture shows."""

from drive.carracing.regions import Regions, regions
from evaluation.inspection.recorder import PictureRecorder
from evaluation.observer import Moment
from policies import Policy


class RegionRecorder(PictureRecorder):
    """Keeps the regions of the newest frame: key ``regions``, uint8 ``(steps, rows, columns)``."""

    file = "regions.npz"
    key = "regions"

    def __init__(self, policy: Policy, n: int) -> None:
        super().__init__(policy, n)
        self._size = policy.observation.shape[1]

    def picture(self, moment: Moment, car: int) -> Regions:
        """The regions of the car's world."""
        return regions(moment.worlds[car], self._size)
