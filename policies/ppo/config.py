"""How the PPO expert is trained, as a value that is stored in its checkpoint."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from maps.limits import Count, Positive, Processes, Share, Within, check_numbers
from policies.errors import PolicyError

TEST_SEEDS = range(2000, 2100)
TEST_TRACKS = frozenset(f"seed:{seed}" for seed in TEST_SEEDS)
"""Tracks of the evaluation: never trained on, nor used to select."""

LAST_SEED = 2**31
"""Behind those of the training tracks."""

Spread = Annotated[float, Within(0.001, 0.499)]


@dataclass(frozen=True)
class WorldConfig:
    """The worlds that the expert learns in; rewards are those of a frame, before scaling.

    Attributes:
        workers: Processes, each with one world; the second half of them is mirrored.
        repeat: Frames for which an action is held.
        mirror: Whether half of the workers see a mirrored picture and steer the other way:
            gymnasium's tracks turn left far more than right.
        first_seed: Training tracks are the seeds from here to 2^31, drawn at random.
        replay: Probability that a worker's next track is one that it failed on.
        off_road_penalty: Taken for a frame with three or more wheels off the road.
        speed_bonus: Given for each unit of speed above ``bonus_from``, and taken below it.
        bonus_from: Speed that earns nothing, world units a second.
        bonus_to: Speed beyond which nothing more is earned.
        lost_frames: Frames with all wheels off the road after which an episode ends.
        stalled_frames: Frames without a new tile after which an episode ends.
        reward_scale: Factor of the reward that PPO sees; the score reported is the true one.
    """

    workers: Processes = 8
    repeat: Count = 4
    mirror: bool = True
    first_seed: Annotated[int, Within(0, LAST_SEED - 1)] = 100_000
    replay: Share = 0.5
    off_road_penalty: float = 0.1
    speed_bonus: float = 0.03
    bonus_from: float = 55.0
    bonus_to: float = 70.0
    lost_frames: int = 50
    stalled_frames: int = 100
    reward_scale: float = 0.005


@dataclass(frozen=True)
class CloningConfig:
    """The actor's start from demonstrations; without them it starts from random weights.

    Attributes:
        epochs: Passes over the demonstrations.
        batch: Steps in a batch.
        learning_rate: Of Adam; falls linearly to zero.
        steer_weight: Weight of the squared steering error against that of the pedal.
        steer_spread: Standard deviation of the steering that PPO begins to explore with, below
            one half.
        pedal_spread: The same for the pedal.
        critic_warmup: Decisions during which only the critic learns.
        critic_rate: Learning rate during those.
    """

    epochs: Count = 8
    batch: Count = 256
    learning_rate: Positive = 1e-3
    steer_weight: float = 5.0
    steer_spread: Spread = 0.08
    pedal_spread: Spread = 0.2
    critic_warmup: int = 65_536
    critic_rate: float = 3e-4


@dataclass(frozen=True)
class PPOConfig:
    """Training of the PPO expert; repeat the command to resume.

    Attributes:
        expert: ``ppo``.
        out: The checkpoint to write, ``*.safetensors``.
        steps: Decisions of all workers together; each is held for ``world.repeat`` frames.
        world: The worlds.
        init_from_demonstrations: Minari ids of data sets whose labels the actor imitates before
            PPO begins; empty starts from random weights.
        data_root: Folder of those data sets; None is Minari's own.
        encoder_of: Cloned policy (``nsac``, or a checkpoint) through whose encoder the actor sees;
            PPO leaves it as it is: an update costs a thirtieth. None trains one of its own.
        cloning: How it imitates them.
        rollout: Decisions of all workers before each update.
        batch: Decisions in a batch of an update.
        epochs: Passes over a rollout.
        learning_rate: Of Adam; constant, then falls linearly to zero.
        constant_share: Share of the training before it falls.
        gamma: Discount of a decision.
        gae_lambda: Of the generalised advantage estimate.
        clip: Range of the probability ratio.
        target_kl: Divergence at which an update ends early.
        entropy: Weight of the entropy bonus.
        half_precision: Whether the convolutions train in bfloat16.
        validate_every: Decisions between two validations.
        validation_seeds: First track of the validation, and the one after the last; the weights
            of the best mean return are kept.
        save_minutes: Time between two saves of the state.
        seed: Of the weights, worlds and batches.
        tensorboard: Folder for TensorBoard, or None.
        quiet: Whether to print nothing as it trains.
    """

    out: Path
    expert: Literal["ppo"] = "ppo"
    steps: int = 500_000
    world: WorldConfig = field(default_factory=WorldConfig)
    init_from_demonstrations: tuple[str, ...] = ()
    data_root: Path | None = None
    encoder_of: str | None = None
    cloning: CloningConfig = field(default_factory=CloningConfig)
    rollout: int = 8192
    batch: int = 256
    epochs: int = 6
    learning_rate: float = 3e-4
    constant_share: Share = 2 / 3
    gamma: Share = 0.995
    gae_lambda: Share = 0.95
    clip: float = 0.15
    target_kl: float = 0.03
    entropy: float = 0.0
    half_precision: bool = True
    validate_every: int = 100_000
    validation_seeds: tuple[int, int] = (1000, 1100)
    save_minutes: float = 3.0
    seed: int = 0
    tensorboard: Path | None = None
    quiet: bool = False

    def check(self) -> None:
        """Checks the fields.

        Raises:
            PolicyError: A field is out of its range; the message names it.
        """
        if self.out.suffix != ".safetensors":
            raise PolicyError(f"out must end in .safetensors, got {self.out}")
        check_numbers(self, PolicyError)
        for name in ("steps", "rollout", "batch", "epochs", "validate_every", "learning_rate"):
            if not getattr(self, name) > 0:
                raise PolicyError(f"{name} must be positive, got {getattr(self, name)}")
        if not self.world.reward_scale > 0:
            raise PolicyError("world.reward_scale must be positive")
        if self.rollout % self.world.workers:
            raise PolicyError(
                f"rollout must be a multiple of {self.world.workers} workers, got {self.rollout}"
            )
        if self.rollout < 2 * self.world.workers or self.batch < 2:
            raise PolicyError("rollout must be two decisions a worker or more, and batch 2 or more")
        self._check_seeds()

    def _check_seeds(self) -> None:
        first, end = self.validation_seeds
        if not 0 <= first < end:
            raise PolicyError(f"validation_seeds must be first < end, got {first} {end}")
        if first < TEST_SEEDS.stop and TEST_SEEDS.start < end:
            raise PolicyError("validation_seeds must not touch 2000-2099, the test's tracks")
        if self.world.first_seed < max(end, TEST_SEEDS.stop):
            raise PolicyError(
                f"world.first_seed must lie beyond the tracks of validation and test, "
                f"got {self.world.first_seed}"
            )

    def plain(self) -> dict[str, Any]:
        """The configuration as JSON values."""
        values: dict[str, Any] = json.loads(json.dumps(asdict(self), default=str))
        return values
