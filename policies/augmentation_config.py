"""Random changes of the training pictures, as values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from maps.limits import Share, Within, check_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Augmentation:
    """Random changes of the training pictures.

    Attributes:
        mirror: Probability that a window is mirrored and its steering negated.
        shift: Largest shift in pixels, up or down and left or right, of all but the dashboard; up
            to half of the picture.
        brightness: Largest relative change of brightness.
        recolour: Probability that road and grass of a window get other gray levels; 0 draws
            nothing, so that all else is as without it.
    """

    mirror: Share = 0.5
    shift: Annotated[int, Within(0, 36)] = 1
    brightness: Share = 0.05
    recolour: Share = 0.0

    def check(self) -> None:
        """Checks the fields.

        Raises:
            ValueError: A field is out of its range; the message names it.
        """
        check_numbers(self, prefix="augmentation.")

    def __call__(
        self,
        frames: "NDArray[np.uint8]",
        actions: "NDArray[np.float32]",
        rng: "np.random.Generator",
    ) -> None:
        """Changes a batch in place.

        Args:
            frames: ``(batch, time, 84, 84)``.
            actions: ``(batch, window, 3)``; steering comes first.
            rng: Source of all draws.
        """
        from policies.augmentation import augment  # noqa: PLC0415 - quick to import without

        augment(self, frames, actions, rng)
