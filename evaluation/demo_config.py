"""From nothing to a report."""

from dataclasses import dataclass, field
from pathlib import Path

from recorders.dagger_config import DaggerConfig


@dataclass(frozen=True)
class DemoConfig:
    """From nothing to a report; repeated, it goes on where it stopped.

    Attributes:
        out: Folder for data sets, checkpoints and the run.
        maps: Tracks of the evaluation; none of them is recorded.
        dagger: How the policy is made.
    """

    out: Path = Path("runs/demo")
    maps: str = "seed:2000-2009"
    dagger: DaggerConfig = field(default_factory=DaggerConfig)
