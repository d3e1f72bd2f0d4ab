"""What to record, as a value that is stored with the data set and compared when it is resumed."""

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import maps
from maps.files.one_line_error import OneLineError
from maps.limits import Processes, Share, Within, check_numbers
from policies import selective
from policies.foreign.source import digest
from recorders.disturbance_config import SHARE, Disturbance
from recorders.human.config import HumanConfig

WORLD = "nsac/CarRacing-v0"
"""The gymnasium environment that is driven; importing ``drive.carracing`` registers it."""

HUMAN = "human"
"""The driver who is a person at this machine, and no policy."""
POLICY_STEPS, HUMAN_STEPS = 1000, 3000
"""Steps after which an episode ends if nothing else is asked for: gymnasium's limit; a minute."""


MOST_EPISODES = 1_000_000
"""Of a data set: more were a slip, and would fill the memory."""


class RecordError(OneLineError):
    """A recording cannot be made; the message is one line."""


@dataclass(frozen=True)
class RecordConfig:
    """Recording of CarRacing demonstrations: an expert labels what it, or a learner, sees.

    Attributes:
        out: Minari id of the data set, such as ``carracing/privileged-v0``.
        driver: The expert: ``privileged``, a checkpoint, or ``package.module:factory``; ``human``
            is you, at the keys or the gamepad, in a window.
        episodes: Episodes of the whole data set. Repeating the command after an interruption
            records those that are missing; a greater number adds to a finished data set.
        maps: Tracks in the syntax of ``nsac-evaluate --maps`` (``seed:10000-10049,oval``), driven
            in turn; None drives gymnasium's tracks of the seeds ``first_seed``, + 1, + 2 ...
        first_seed: First of those seeds, far from the seeds 2000-2099 of the evaluation.
        allow_test_seeds: Record the tracks of the seeds 2000-2099 too, on which policies are
            tested. What is learned from these must not be tested on them.
        renderer: Whose picture is recorded: ``fast``, or ``exact``, which is slower.
        noise: Disturbances of what is driven while the expert drives; labels stay clean.
        learner: Checkpoint (or other policy) that drives while the expert labels (DAgger).
        learner_share: Probability that the learner drives a segment; the expert drives the others.
        segment: Steps that one of the two drives before it is drawn anew who does.
        batch: Episodes driven in lock-step, with one forward pass a step.
        max_steps: Steps after which an episode ends; None is gymnasium's own limit of 1000, and
            3000 (a minute) where a person drives.
        lost_steps: Consecutive steps with all wheels off the road after which an episode ends.
        stalled_steps: Consecutive steps without getting further round after which one ends.
        seed: Of disturbances, segments and policies.
        workers: Processes; the data set does not depend on their number.
        data_root: Folder of the data sets; None is Minari's own.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.
        quiet: Whether to show no progress bar.
        human: Wheel, pedals and pace of a person.
    """

    out: str
    driver: str = "privileged"
    episodes: Annotated[int, Within(1, MOST_EPISODES)] = 50
    maps: str | None = None
    first_seed: int = 10_000
    allow_test_seeds: bool = False
    renderer: Literal["fast", "exact"] = "fast"
    noise: Disturbance = field(default_factory=Disturbance)
    learner: str | None = None
    learner_share: Share = 1.0
    segment: int = 50
    batch: int = 10
    max_steps: int | None = None
    lost_steps: int = 100
    stalled_steps: int = 150
    seed: int = 0
    workers: Processes = 1
    data_root: Path | None = None
    trust: bool = False
    quiet: bool = False
    human: HumanConfig = field(default_factory=HumanConfig)

    @property
    def by_hand(self) -> bool:
        """Whether a person drives."""
        return self.driver == HUMAN

    @property
    def limit(self) -> int:
        """Steps after which an episode ends."""
        if self.max_steps is not None:
            return self.max_steps
        return HUMAN_STEPS if self.by_hand else POLICY_STEPS

    @property
    def disturbance(self) -> Disturbance:
        """The noise, with the share that is asked for or this driver's own."""
        if self.noise.share is not None:
            return self.noise
        return replace(self.noise, share=0.0 if self.by_hand else SHARE)

    def check(self) -> None:
        """Checks the fields.

        Raises:
            RecordError: A field is out of its range; the message names it.
        """
        from minari.dataset.minari_dataset import (  # noqa: PLC0415 - quick to import without
            parse_dataset_id,
        )

        try:
            parse_dataset_id(self.out)
        except (ValueError, TypeError) as error:
            raise RecordError(
                f"Minari refuses the data set name {self.out!r}: it must be like "
                "carracing/privileged-v0, ending in -v and a number"
            ) from error
        for name in ("segment", "batch", "max_steps", "lost_steps", "stalled_steps"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise RecordError(f"{name} must be at least 1, not {value}")
        check_numbers(self, RecordError)
        try:
            self.human.check()
        except ValueError as error:
            raise RecordError(str(error)) from error
        if self.by_hand:
            self._check_person()
        if self.learner == HUMAN:
            raise RecordError("learner must be a policy, not human: a person is a --driver")

    def content(self) -> dict[str, Any]:
        """The fields that decide what an episode holds, as JSON values.

        A driver, learner or map that is a file is told by its content: a checkpoint trained anew
        under the same name is another one. A person may set the wheel and the pedals anew at any
        time, as one may take another car; slow motion is another way to drive.
        """
        decisive = asdict(self)
        del decisive["noise"], decisive["human"]
        decisive["max_steps"] = self.limit
        for name, value in asdict(self.disturbance).items():
            decisive[f"noise.{name}"] = value
        if self.by_hand:
            decisive |= {"batch": 1, "human.speed": self.human.speed}
        for name in ("out", "episodes", "workers", "data_root", "trust", "quiet"):
            del decisive[name]
        del decisive["allow_test_seeds"]
        if self.learner is None:
            del decisive["learner_share"], decisive["segment"]
        for name in ("learner",) if self.by_hand else ("driver", "learner"):
            found = digest(_file(decisive[name] or ""))
            if found:
                decisive[f"{name}_sha256"] = found
        for name, found in maps.digests(maps.expand(self.maps) if self.maps else ()).items():
            decisive[f"map {name}, sha256"] = found
        return decisive

    def _check_person(self) -> None:
        """A person has two hands."""
        if self.workers > 1:
            raise RecordError(f"workers must be 1 where a person drives, not {self.workers}")
        if self.learner is not None:
            raise RecordError(
                "driver human and a learner do not go together: "
                "nobody can label what somebody else drives; leave out --learner"
            )


def _file(policy: str) -> str:
    """The file of a policy, be it under a supervisor or not, bundled or not."""
    from policies.loading import BUNDLED  # noqa: PLC0415 - quick to import without

    name = selective.parse(policy)[0] if policy.startswith(selective.PREFIX) else policy
    return str(BUNDLED.get(name, name))
