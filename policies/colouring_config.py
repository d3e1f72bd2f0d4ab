"""How gray recordings are coloured for an encoder that sees colours, as values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maps.limits import Share, check_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Colouring:
    """Random changes of coloured training pictures; with none they are gymnasium's own.

    Attributes:
        recolour: Probability that a window gets other colours: half of these as the paper's colour
            test draws them, half near the usual ones.
        noise: Probability that grass is replaced by noise, of another colour in each world unit.
        bars: Probability that the view is narrowed by black bars left and right.
        square: Probability that a square in one colour covers a part of the view.
    """

    recolour: Share = 0.0
    noise: Share = 0.0
    bars: Share = 0.0
    square: Share = 0.0

    def check(self) -> None:
        """Checks the fields.

        Raises:
            ValueError: A probability is not in [0, 1].
        """
        check_numbers(self, prefix="colouring.")

    def __call__(
        self, frames: "NDArray[np.uint8]", rng: "np.random.Generator"
    ) -> "NDArray[np.uint8]":
        """Colours a batch.

        Args:
            frames: Gray, ``(batch, time, 84, 84)``.
            rng: Source of all draws.

        Returns:
            RGB, ``(batch, time, 84, 84, 3)``; the dashboard stays gray.
        """
        from policies.colouring import coloured  # noqa: PLC0415 - quick to import without

        return coloured(self, frames, rng)
