"""What to record, as a value that is stored with the data set and compared when it is resumed."""

import hashlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from minari.dataset.minari_dataset import parse_dataset_id

from recorders.disturbance import Disturbance

WORLD = "nsac/CarRacing-v0"
"""The gymnasium environment that is driven; importing ``drive.carracing`` registers it."""


class RecordError(ValueError):
    """A recording cannot be made; the message is one line."""


@dataclass(frozen=True)
class RecordConfig:
    """Recording of CarRacing demonstrations: an expert labels what it, or a learner, sees.

    Attributes:
        out: Minari id of the data set, such as ``carracing/privileged-v0``.
        driver: The expert: ``privileged``, a checkpoint, or ``package.module:factory``.
        episodes: Episodes of the whole data set. Repeating the command after an interruption
            records those that are missing; a greater number adds to a finished data set.
        maps: Tracks in the syntax of ``nsac-evaluate --maps`` (``seed:10000-10049,oval``), driven
            in turn; None drives gymnasium's tracks of the seeds ``first_seed``, + 1, + 2 ...
        first_seed: First of those seeds, far from the seeds 2000-2099 of the evaluation.
        renderer: Whose picture is recorded: ``fast``, or ``exact``, which is slower.
        noise: Disturbances of what is driven while the expert drives; labels stay clean.
        learner: Checkpoint (or other policy) that drives while the expert labels (DAgger).
        learner_share: Probability that the learner drives a segment; the expert drives the others.
        segment: Steps that one of the two drives before it is drawn anew who does.
        batch: Episodes driven in lock-step, with one forward pass a step.
        max_steps: Steps after which an episode ends; gymnasium's own limit is 1000.
        lost_steps: Consecutive steps with all wheels off the road after which an episode ends.
        stalled_steps: Consecutive steps without getting further round after which one ends.
        seed: Of disturbances, segments and policies.
        workers: Processes; the data set does not depend on their number.
        data_root: Folder of the data sets; None is Minari's own.
        quiet: Whether to show no progress bar.
    """

    out: str
    driver: str = "privileged"
    episodes: int = 50
    maps: str | None = None
    first_seed: int = 10_000
    renderer: Literal["fast", "exact"] = "fast"
    noise: Disturbance = field(default_factory=Disturbance)
    learner: str | None = None
    learner_share: float = 1.0
    segment: int = 50
    batch: int = 10
    max_steps: int = 1000
    lost_steps: int = 100
    stalled_steps: int = 150
    seed: int = 0
    workers: int = 1
    data_root: Path | None = None
    quiet: bool = False

    def check(self) -> None:
        """Checks the fields.

        Raises:
            RecordError: A field is out of its range; the message names it.
        """
        try:
            parse_dataset_id(self.out)
        except (ValueError, TypeError) as error:
            raise RecordError(
                f"Minari refuses the data set name {self.out!r}: it must be like "
                "carracing/privileged-v0, ending in -v and a number"
            ) from error
        whole = ("episodes", "segment", "batch", "max_steps", "lost_steps", "stalled_steps")
        for name in (*whole, "workers"):
            if getattr(self, name) < 1:
                raise RecordError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("seed", "first_seed"):
            if getattr(self, name) < 0:
                raise RecordError(f"{name} must not be negative, not {getattr(self, name)}")
        if not 0 <= self.learner_share <= 1:
            raise RecordError(f"learner_share must lie in [0, 1], not {self.learner_share}")
        try:
            self.noise.check()
        except ValueError as error:
            raise RecordError(str(error)) from error

    def content(self) -> dict[str, Any]:
        """The fields that decide what an episode holds, as JSON values.

        A driver or learner that is a file is told by its content: a checkpoint trained anew under
        the same name is another one.
        """
        decisive = asdict(self)
        for name, value in decisive.pop("noise").items():
            decisive[f"noise.{name}"] = value
        for name in ("out", "episodes", "workers", "data_root", "quiet"):
            del decisive[name]
        if self.learner is None:
            del decisive["learner_share"], decisive["segment"]
        for name in ("driver", "learner"):
            path = Path(decisive[name] or "")
            if path.is_file():
                decisive[f"{name}_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        return decisive
