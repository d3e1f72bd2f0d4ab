"""A policy from an expert: cloning, then rounds of correction."""

from dataclasses import dataclass, field

from maps.limits import Count, Positive, Processes, Share
from recorders.disturbance_config import Disturbance
from recorders.hard_tracks_config import HardTracks


@dataclass(frozen=True)
class DaggerConfig:
    """A policy from an expert: cloning, then rounds in which the policy drives and is corrected.

    Attributes:
        expert: Who labels: ``privileged``, a checkpoint, or ``package.module:factory``.
        method: The uncertainty method of the policy.
        encoder: Its encoder.
        expert_episodes: Episodes driven by the expert, before the first round.
        noise: Disturbance of those.
        rounds: Rounds of DAgger.
        episodes: Episodes that the learner drives in each round.
        learner_share: Share of the driving that is the learner's; the expert drives the rest.
        epochs: Passes over the data in the cloning stage.
        round_epochs: Passes over all data so far after each round, from the last weights.
        final_epochs: Passes over all data at the end, from the last weights; 0 skips them.
        learning_rate: Of the cloning stage.
        round_learning_rate: Of the rounds and the end; each falls along its own cosine.
        batch: Steps in a training batch.
        first_seed: First track seed of the recordings; round r starts 1000 r after it.
        hard: Rounds after those, on tracks where one road is easily taken for another.
        seed: Of everything random.
        workers: Processes that record.
        trust: Load policy files that can run code of their own: stable-baselines3 archives,
            ``torch.export`` and TorchScript. Only for files of somebody you trust.
        threads: Threads that train.
    """

    expert: str = "privileged"
    method: str = "nsac"
    encoder: str = "strided"
    expert_episodes: Count = 24
    noise: Disturbance = field(default_factory=Disturbance)
    rounds: int = 5
    episodes: Count = 20
    learner_share: Share = 0.9
    epochs: Count = 6
    round_epochs: Count = 3
    final_epochs: int = 0
    learning_rate: Positive = 1e-3
    round_learning_rate: Positive = 7e-4
    batch: Count = 256
    first_seed: int = 10_000
    hard: HardTracks = field(default_factory=HardTracks)
    seed: int = 0
    workers: Processes = 2
    trust: bool = False
    threads: Processes = 2
