"""What the sheet of perturbations shows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from evaluation.errors import EvaluationError
from evaluation.limits import Renderer
from maps.limits import Within, check_numbers

Steps = Annotated[int, Within(1, 100_000)]


@dataclass(frozen=True)
class SheetConfig:
    """What the sheet shows.

    Attributes:
        out: Folder of the sheet, ``perturbations.png``.
        names: Perturbations; all of them by default.
        map: Track of the frames.
        step: The step whose frame is shown; the camera has come near after 50 of them.
        path_steps: Length of the paths that show what is done to the controls and the car.
        renderer: Who draws the frames.
        seed: Of the draws.
    """

    out: Path
    names: tuple[str, ...] = ()
    map: str = "seed:2000"
    step: Steps = 75
    path_steps: Steps = 300
    renderer: Renderer = "fast"
    seed: int = 0

    def check(self) -> None:
        """Checks the fields.

        Raises:
            EvaluationError: A number is out of its range; the message names it.
        """
        check_numbers(self, EvaluationError)
