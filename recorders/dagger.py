"""Clones an expert and corrects the clone on its own mistakes (DAgger; Ross et al. 2011)."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from minari import MinariDataset

from policies.train import train
from policies.train_config import TrainConfig
from recorders.config import RecordConfig
from recorders.disturbance import Disturbance
from recorders.record import record

Report = Callable[[str], None]


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
        seed: Of everything random.
        workers: Processes that record.
        threads: Threads that train.
    """

    expert: str = "privileged"
    method: str = "nsac"
    encoder: str = "strided"
    expert_episodes: int = 24
    noise: Disturbance = field(default_factory=Disturbance)
    rounds: int = 5
    episodes: int = 20
    learner_share: float = 0.9
    epochs: int = 6
    round_epochs: int = 3
    final_epochs: int = 0
    learning_rate: float = 1e-3
    round_learning_rate: float = 7e-4
    batch: int = 256
    first_seed: int = 10_000
    seed: int = 0
    workers: int = 2
    threads: int = 2


def clone(config: DaggerConfig, folder: Path, report: Report = print) -> Path:
    """Runs all stages; a repeated call goes on where the last one stopped.

    Args:
        config: What to do.
        folder: For data sets and checkpoints.
        report: Told a line after each recording.

    Returns:
        The policy: the last checkpoint, copied to ``<method>.safetensors``.

    Raises:
        RecordError: A recording cannot be made.
        policies.PolicyError: A training cannot be done.
    """
    names: list[str] = []
    learner: Path | None = None
    for number in range(config.rounds + 1):
        names.append(_record_round(config, folder, number, learner, report))
        learner = _train_round(config, folder, number, tuple(names), learner)
    if config.final_epochs:
        learner = _train_round(config, folder, config.rounds + 1, tuple(names), learner)
    assert learner is not None
    policy = folder / f"{config.method}.safetensors"
    aside = policy.with_suffix(".part")
    shutil.copyfile(learner, aside)
    return aside.replace(policy)


def _record_round(
    config: DaggerConfig, folder: Path, number: int, learner: Path | None, report: Report
) -> str:
    """Records the expert (round 0) or the learner under the expert's eyes."""
    name = record(
        RecordConfig(
            out=f"dagger/round{number}-v0",
            driver=config.expert,
            episodes=config.episodes if learner else config.expert_episodes,
            first_seed=config.first_seed + 1000 * number,
            noise=Disturbance(share=0.0) if learner else config.noise,
            learner=str(learner) if learner else None,
            learner_share=config.learner_share,
            seed=config.seed + number,
            workers=config.workers,
            data_root=folder / "data",
        )
    )
    storage = MinariDataset(folder / "data" / name / "data").storage
    episodes = list(storage.get_episode_metadata(range(storage.total_episodes)))
    laps = sum(episode["lap_complete"] for episode in episodes)
    steps = sum(episode["total_steps"] for episode in episodes)
    who = f"round {number}, the policy" if learner else "the expert, disturbed"
    report(f"recorded {who}: {laps} of {len(episodes)} laps, {steps} steps")
    return name


def _train_round(
    config: DaggerConfig, folder: Path, number: int, names: tuple[str, ...], learner: Path | None
) -> Path:
    """Trains on all recordings so far, from the last weights."""
    out = folder / f"round{number}.safetensors"
    if out.exists():
        return out
    last = number == config.rounds + 1
    epochs = config.final_epochs if last else config.round_epochs if learner else config.epochs
    return train(
        TrainConfig(
            data=names,
            out=out,
            method=config.method,
            encoder=config.encoder,
            init=learner,
            epochs=epochs,
            batch=config.batch,
            learning_rate=config.round_learning_rate if learner else config.learning_rate,
            seed=config.seed,
            threads=config.threads,
            data_root=folder / "data",
        )
    )
