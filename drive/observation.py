"""What a policy wants to see, as a value that is stored with it and compared when it is loaded."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from drive.udacity.frame_shape import FRAME_SHAPE

ObservationKind = Literal["gray84", "rgb96", "camera", "world"]


@dataclass(frozen=True)
class ObservationSpec:
    """The observation a policy reads.

    Attributes:
        kind: ``gray84`` (SB3's WarpFrame: 84 x 84 gray, INTER_AREA), ``rgb96`` (gymnasium's own
            96 x 96 x 3), ``camera`` (the Udacity simulator's RGB, 160 x 320 x 3), or ``world``: the
            world objects themselves, for privileged drivers.
        frames: How many of the latest frames are stacked, zero-filled at the start, newest last.
            1 for ``world``.
    """

    kind: ObservationKind = "gray84"
    frames: int = 4

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one observation: the frames, then each one's own; ``()`` for worlds."""
        return {
            "gray84": (self.frames, 84, 84),
            "rgb96": (self.frames, 96, 96, 3),
            "camera": (self.frames, *FRAME_SHAPE),
            "world": (),
        }[self.kind]

    def to_json(self) -> dict[str, Any]:
        """The specification as plain values, for a checkpoint's header."""
        return asdict(self)
