"""Random changes of camera frames in training, as values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from maps.limits import Share, Within, check_numbers

if TYPE_CHECKING:
    import numpy as np

    from policies.udacity.view import Cameras, View


@dataclass(frozen=True)
class CameraAugmentation:
    """Random changes of training frames; the defaults are the paper's.

    Attributes:
        probability: That a sample is changed at all; otherwise it is the centre camera's frame.
        side_steering: Added to the steering with the left camera's frame, subtracted with the
            right one's: what leads a car that stands beside its line back to it.
        mirror: Probability that a frame is mirrored and its steering negated.
        shift_columns: Range of the shift to the sides, in pixels: half of it either way.
        shift_rows: Range of the shift up and down, likewise.
        shift_steering: Added to the steering for each pixel of shift to the right.
        shadow: Least and largest factor of the lightness on one side of a random line.
        brightness: Range of the relative change of the brightness: half of it either way.
    """

    probability: Share = 0.6
    side_steering: Annotated[float, Within(0, 2)] = 0.2
    mirror: Share = 0.5
    shift_columns: Annotated[float, Within(0, 640)] = 100.0
    shift_rows: Annotated[float, Within(0, 320)] = 10.0
    shift_steering: Share = 0.002
    shadow: tuple[Share, Share] = (0.2, 0.5)
    brightness: Annotated[float, Within(0, 2)] = 0.4

    def check(self) -> None:
        """Checks the fields.

        Raises:
            ValueError: A field is out of its range, or the two shadows are out of order.
        """
        check_numbers(self, prefix="augmentation.")
        if not self.shadow[0] <= self.shadow[1]:
            raise ValueError(f"augmentation.shadow must rise, not {self.shadow}")

    def __call__(
        self, cameras: "Cameras", steering: float, rng: "np.random.Generator"
    ) -> "tuple[View, float]":
        """One sample for training.

        Args:
            cameras: Of the moment; the first, the centre's, is there.
            steering: Of the moment.
            rng: Source of all draws.

        Returns:
            The visible rows of the frame, and the steering that suits them.
        """
        from policies.udacity.augmentation import sample  # noqa: PLC0415 - quick to import without

        return sample(self, cameras, steering, rng)
