"""Which laps' neurons are traced."""

from dataclasses import dataclass

from evaluation.inspection.config import LapsConfig


@dataclass(frozen=True)
class TracesConfig(LapsConfig):
    """Which laps' neurons are traced.

    Attributes:
        ablate: The so many neurons most correlated with steering, and as many of the least, are
            silenced one at a time, and all laps driven again.
    """

    ablate: int = 0
